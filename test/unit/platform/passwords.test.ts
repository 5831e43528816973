import { describe, expect, it } from "vitest";
import { answerTo } from "../../../src/api/edge/errorAnswers.ts";
import { createPasswords, PasswordsBusyError } from "../../../src/platform/state/passwords.ts";

describe("a crowd that signs in", () => {
  it("given one at a time and two waiting, when five come, then two are refused at once and the others served", async () => {
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

  it("given a refusal, then the caller is told when to try again", () => {
    const { status, headers, isFault } = answerTo(new PasswordsBusyError());
    expect([status, isFault]).toEqual([503, false]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });
});
