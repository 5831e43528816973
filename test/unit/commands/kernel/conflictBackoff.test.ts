import { describe, expect, it } from "vitest";
import { createConflictBackoff } from "../../../../src/commands/kernel/conflictBackoff.ts";

describe("backoff between processes that write one stream", () => {
  const always = () => createConflictBackoff(() => 1);

  it("is zero without conflicts", () => {
    const contention = always();
    contention.succeeded("mine", 10);
    expect(contention.waitFor("mine")).toBe(0);
  });

  it("is zero for the first few conflicts in a row", () => {
    const contention = always();
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 7; n += 1) contention.conflicted("ours", 10);
      expect(contention.waitFor("ours")).toBe(0);
      contention.succeeded("ours", 10);
    }
  });

  it("grows with each further conflict up to a bound, for this stream only", () => {
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

  it("shrinks after a successful append", () => {
    const contention = always();
    for (let n = 0; n < 12; n += 1) contention.conflicted("ours", 10);
    const before = contention.waitFor("ours");
    contention.succeeded("ours", 10);
    const after = contention.waitFor("ours");
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThan(before);
  });
});
