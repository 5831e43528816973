import { describe, expect, it } from "vitest";
import { createConflictBackoff } from "../../../../src/commands/kernel/conflictBackoff.ts";

describe("writers of one stream in several processes", () => {
  const always = () => createConflictBackoff(() => 1);

  it("given a stream of one's own, then there is nothing to wait for", () => {
    const contention = always();
    contention.succeeded("mine", 10);
    expect(contention.waitFor("mine")).toBe(0);
  });

  it("given a few conflicts in a row, then nobody waits: the log may have told each when its turn came", () => {
    const contention = always();
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 7; n += 1) contention.conflicted("ours", 10);
      expect(contention.waitFor("ours")).toBe(0);
      contention.succeeded("ours", 10);
    }
  });

  it("given more conflicts in a row, then each makes the wait longer, up to a bound, and no other stream waits", () => {
    const contention = always();
    for (let n = 0; n < 7; n += 1) contention.conflicted("ours", 10);
    const waits = Array.from({ length: 40 }, () => {
      contention.conflicted("ours", 10);
      return contention.waitFor("ours");
    });
    expect(waits.slice(0, 3)).toEqual([20, 30, 45]);
    expect([...waits].sort((a, b) => a - b)).toEqual(waits);
    expect(waits.at(-1)).toBeLessThanOrEqual(1_500);
    expect(contention.waitFor("another")).toBe(0);
  });

  it("given a conflict and then an append that went through, then others are given way to, but less", () => {
    const contention = always();
    for (let n = 0; n < 12; n += 1) contention.conflicted("ours", 10);
    const before = contention.waitFor("ours");
    contention.succeeded("ours", 10);
    const after = contention.waitFor("ours");
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThan(before);
  });
});
