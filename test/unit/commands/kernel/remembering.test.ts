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

describe("remembering", () => {
  it("given many who ask for the same at once, then it is looked up once and all have it", async () => {
    const recent = createLookupCache<string>();
    const { find, asked, answer } = lookUp<string>();
    const asking = Array.from({ length: 1_000 }, () => recent.get("key", find));
    expect(asked()).toBe(1);
    answer(0, "value");
    expect(new Set(await Promise.all(asking))).toEqual(new Set(["value"]));
    expect(await recent.get("key", find)).toBe("value");
    expect(asked()).toBe(1);
  });

  it("given that nothing was found, then the next who asks has it looked up again", async () => {
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

  it("given a look-up under way when everything is forgotten, then who asks afterwards does not get its answer", async () => {
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

  it("given a look-up that fails, then all who waited hear it and the next tries again", async () => {
    const recent = createLookupCache<string>();
    const failing = () => Promise.reject(new Error("away"));
    const asking = [recent.get("key", failing), recent.get("key", failing)];
    await Promise.all(asking.map((each) => expect(each).rejects.toThrow("away")));
    expect(await recent.get("key", async () => "back")).toBe("back");
  });
});
