import { Worker } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { errorResponseOf } from "../../../../src/api/edge/errorResponses.ts";
import { createPasswords, PasswordsBusyError } from "../../../../src/stores/identity/passwords.ts";
import type { PasswordWork } from "../../../../src/stores/identity/passwordWork.ts";

describe("password hashing", () => {
  it("refuses calls beyond the queue at once", async () => {
    const passwords = createPasswords({ atOnce: 1, waiting: 2 });
    const hash = await passwords.hash("open sesame");
    const tries = Array.from({ length: 5 }, () => passwords.verify(hash, "open sesame"));
    const settled = await Promise.allSettled(tries);
    const served = settled.filter((one) => one.status === "fulfilled");
    const refused = settled.filter((one) => one.status === "rejected");
    expect(served.map(({ value }) => value)).toEqual([true, true, true]);
    expect(refused.map(({ reason }) => reason)).toEqual([
      expect.any(PasswordsBusyError),
      expect.any(PasswordsBusyError),
    ]);
    expect(await passwords.verify(hash, "another")).toBe(false);
  });

  it("verifies against a hash of the same cost without a stored hash, and matches nothing", async () => {
    const passwords = createPasswords({ atOnce: 1 });
    const own = await passwords.hash("open sesame");
    // Version, memory, passes and lanes decide how long a verification takes.
    expect(own).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const workOf = async (hash: string | null) => {
      const posted = vi.spyOn(Worker.prototype, "postMessage");
      const fits = await passwords.verify(hash, "open sesame");
      const [work] = posted.mock.calls.map(([message]) => message as PasswordWork);
      posted.mockRestore();
      return { fits, work };
    };
    const unknown = await workOf(null);
    const known = await workOf(own);
    expect([unknown.fits, known.fits]).toEqual([false, true]);
    const costOf = ({ work }: typeof known) =>
      work?.kind === "verify" &&
      work.hash.replace(/\$[^$]+\$[^$]+$/, "").concat(`/${work.hash.length}`);
    expect(costOf(known)).toBe(`$argon2id$v=19$m=19456,t=2,p=1/${own.length}`);
    expect(costOf(unknown)).toBe(costOf(known));
  });

  it("rejects an invalid hash and continues", async () => {
    const passwords = createPasswords({ atOnce: 1 });
    await expect(passwords.verify("no hash", "open sesame")).rejects.toThrow();
    expect(await passwords.verify(await passwords.hash("later"), "later")).toBe(true);
  });

  it("limits concurrent lookups to the admitted calls", async () => {
    const passwords = createPasswords({ atOnce: 1, waiting: 3 });
    let inside = 0;
    let most = 0;
    const signIn = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await passwords.verify(null, "guess");
      inside -= 1;
    };
    const settled = await Promise.allSettled(
      Array.from({ length: 6 }, () => passwords.admit(signIn)),
    );
    expect(most).toBe(2);
    expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(1);
  });

  it("returns a retry time with a refusal", () => {
    const { status, headers, isFault } = errorResponseOf(new PasswordsBusyError());
    expect([status, isFault]).toEqual([503, false]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });
});
