import { describe, expect, it } from "vitest";
import { createPace } from "../../../src/projections/kernel/pace.ts";

/** Commits of `count` events each, `everyMs` apart for a second; how long the last of them is to gather. */
const gatheredAfter = (count: number, everyMs: number): number => {
  let now = 0;
  const pace = createPace(() => now);
  let gatherMs = pace(count);
  while (now < 1_000) {
    now += everyMs;
    gatherMs = pace(count);
  }
  return gatherMs;
};

describe("the pace of commits", () => {
  it("given 500 events a second, however they are cut, then none gathers", () => {
    for (const [count, everyMs] of [
      [1, 2],
      [5, 10],
      [15, 30],
      [75, 150],
    ] as const) {
      expect(gatheredAfter(count, everyMs)).toBe(0);
    }
  });

  it("given more, then they gather, also where each commit has but a few, and the longer the more there are", () => {
    expect(gatheredAfter(7, 8)).toBe(20);
    expect(gatheredAfter(45, 50)).toBe(20);
    expect(gatheredAfter(16, 8)).toBe(40);
    expect(gatheredAfter(200, 60)).toBe(40);
  });

  it("given a few that come together by chance, or many that are over, then nothing gathers", () => {
    let now = 0;
    const pace = createPace(() => now);
    expect(pace(64)).toBe(0);
    now = 10;
    expect(pace(2_048)).toBe(40);
    now = 2_000;
    expect(pace(1)).toBe(0);
  });
});
