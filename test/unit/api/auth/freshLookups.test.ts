import { describe, expect, it } from "vitest";
import { freshLookups } from "../../../../src/api/auth/freshLookups.ts";

/** Look-ups that end when the test says so. */
const slow = () => {
  const begun: ((value: string) => void)[] = [];
  const find = () => new Promise<string>((resolve) => begun.push(resolve));
  return { begun, find };
};

describe("fresh lookups", () => {
  it("share one lookup that starts after all its callers asked", async () => {
    const lookUp = freshLookups<string>();
    const { begun, find } = slow();
    const first = lookUp("a", find);
    const others = [lookUp("a", find), lookUp("a", find), lookUp("a", find)];
    expect(begun).toHaveLength(1);
    begun[0]?.("before");
    expect(await first).toBe("before");
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.("after");
    expect(await Promise.all(others)).toEqual(["after", "after", "after"]);
    expect(begun).toHaveLength(2);
  });

  it("run concurrently for different keys", () => {
    const lookUp = freshLookups<string>();
    const { begun, find } = slow();
    void lookUp("a", find);
    void lookUp("b", find);
    expect(begun).toHaveLength(2);
  });

  it("start again after a failure, which later callers do not receive", async () => {
    const lookUp = freshLookups<string>();
    const failing = lookUp("a", () => Promise.reject(new Error("away")));
    const next = lookUp("a", () => Promise.resolve("there"));
    await expect(failing).rejects.toThrow("away");
    expect(await next).toBe("there");
  });
});
