import { describe, expect, it } from "vitest";
import { createLookupCache } from "../../../../src/commands/identity/checks.ts";

/** A look-up that answers when it is told to. */
const lookUp = <Value>() => {
  const answers: ((value: Value | null) => void)[] = [];
  return {
    find: () => new Promise<Value | null>((resolve) => answers.push(resolve)),
    asked: () => answers.length,
    answer: (index: number, value: Value | null) => answers[index]?.(value),
  };
};

describe("a cache of lookups", () => {
  it("shares one lookup between concurrent callers", async () => {
    const recent = createLookupCache<string>();
    const { find, asked, answer } = lookUp<string>();
    const asking = Array.from({ length: 1_000 }, () => recent.get("key", find));
    expect(asked()).toBe(1);
    answer(0, "value");
    expect(new Set(await Promise.all(asking))).toEqual(new Set(["value"]));
    expect(await recent.get("key", find)).toBe("value");
    expect(asked()).toBe(1);
  });

  it("does not keep a missing result", async () => {
    const recent = createLookupCache<string>();
    const { find, asked, answer } = lookUp<string>();
    const first = recent.get("key", find);
    answer(0, null);
    expect(await first).toBeNull();
    const second = recent.get("key", find);
    expect(asked()).toBe(2);
    answer(1, "value");
    expect(await second).toBe("value");
  });

  it("discards a lookup that was in progress during a clear", async () => {
    const recent = createLookupCache<string>();
    const { find, asked, answer } = lookUp<string>();
    const before = recent.get("key", find);
    recent.forgetAll();
    const after = recent.get("key", find);
    expect(asked()).toBe(2);
    answer(0, "revoked meanwhile");
    answer(1, null);
    expect(await before).toBe("revoked meanwhile");
    expect(await after).toBeNull();
  });

  it("passes a failure to all waiting callers and retries on the next call", async () => {
    const recent = createLookupCache<string>();
    const failing = () => Promise.reject(new Error("away"));
    const asking = [recent.get("key", failing), recent.get("key", failing)];
    await Promise.all(asking.map((each) => expect(each).rejects.toThrow("away")));
    expect(await recent.get("key", async () => "back")).toBe("back");
  });
});
