import { describe, expect, it } from "vitest";
import { createLru } from "../../../../src/commands/kernel/lru.ts";
import { bytesOf, createStateCache } from "../../../../src/commands/kernel/stateCache.ts";

const folded = (text: string, revision = 0n) => ({ state: { text }, revision, lastId: null });

describe("the state cache", () => {
  it("evicts the least recently used streams", () => {
    const hot = createStateCache(2);
    hot.set("a", folded("a"));
    hot.set("b", folded("b"));
    hot.get("a");
    hot.set("c", folded("c"));
    expect(["a", "b", "c"].map((stream) => hot.get(stream) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("limits the total size of states in bytes", () => {
    const hot = createStateCache(1_000, 100_000);
    for (let n = 0; n < 100; n += 1) hot.set(`s${n}`, folded("x".repeat(10_000)));
    const { entries, weight } = hot.size();
    expect(entries).toBeGreaterThanOrEqual(3);
    expect(weight).toBeLessThanOrEqual(100_000);
  });

  it("does not keep a state larger than half of the cache", () => {
    const hot = createStateCache(10, 100_000);
    hot.set("small", folded("a"));
    hot.set("huge", folded("x".repeat(30_000)));
    expect([hot.get("huge"), hot.get("small") !== undefined]).toEqual([undefined, true]);
  });

  it("measures a growing stream again from time to time", () => {
    const hot = createStateCache(10);
    hot.set("s", folded("a", 0n));
    const before = hot.size().weight;
    hot.set("s", folded("x".repeat(1_000), 5n));
    expect(hot.size().weight).toBe(before);
    hot.set("s", folded("x".repeat(1_000), 16n));
    expect(hot.size().weight).toBeGreaterThan(before + 1_000);
    hot.delete("s");
    expect(hot.size()).toEqual({ entries: 0, weight: 0 });
  });

  it("estimates the memory of nested values", () => {
    const long = "x".repeat(1_000);
    for (const value of [{ long }, [long], new Map([["k", long]]), new Set([long])]) {
      expect(bytesOf(value)).toBeGreaterThan(2_000);
      expect(bytesOf(value)).toBeLessThan(2_200);
    }
    expect([bytesOf(null), bytesOf(1n), bytesOf(undefined)]).toEqual([8, 8, 8]);
  });

  it("keeps nothing with a size of 0", () => {
    const none = createLru<string, number>(0);
    none.set("a", 1);
    expect([none.get("a"), none.size().entries]).toEqual([undefined, 0]);
  });
});
