import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  median,
  quantile,
  ratioOfMedians,
  seededRandom,
} from "../../../bench/harness/statistics.ts";

describe("median and quantile", () => {
  it("takes the middle sample as the median of an odd number", () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  it("takes the mean of the two middle samples of an even number", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it("interpolates linearly between neighbours", () => {
    expect(quantile([0, 10, 20, 30, 40], 0.99)).toBeCloseTo(39.6);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it("throws without samples", () => {
    expect(() => median([])).toThrow("There are no samples");
  });

  it("stays within the range of the samples and does not modify them", () => {
    const samples = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(samples, fc.double({ noNaN: true, min: 0, max: 1 }), (values, share) => {
        const before = [...values];
        const value = quantile(values, share);
        expect(value).toBeGreaterThanOrEqual(Math.min(...values));
        expect(value).toBeLessThanOrEqual(Math.max(...values));
        expect(values).toEqual(before);
      }),
    );
  });
});

describe("seededRandom", () => {
  it("repeats the sequence of a seed, with numbers in [0, 1)", () => {
    const [a, b] = [seededRandom(7), seededRandom(7)];
    const drawn = Array.from({ length: 1_000 }, a);
    expect(Array.from({ length: 1_000 }, b)).toEqual(drawn);
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });
});

describe("ratioOfMedians", () => {
  const ours = [11, 9, 10, 12, 8, 10, 11, 9];
  const peer = [20, 22, 19, 21, 20, 18, 21, 20];

  it("returns a reproducible interval that contains the ratio", () => {
    const first = ratioOfMedians(ours, peer, seededRandom(1));
    expect(ratioOfMedians(ours, peer, seededRandom(1))).toEqual(first);
    expect(first.value).toBe(0.5);
    expect(first.low).toBeLessThanOrEqual(0.5);
    expect(first.high).toBeGreaterThanOrEqual(0.5);
    expect(first.high - first.low).toBeGreaterThan(0);
  });

  it("returns an empty interval for constant samples", () => {
    const steady = ratioOfMedians([3, 3, 3], [6, 6, 6], seededRandom(1));
    expect(steady).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });

  it("returns a wider interval for samples that vary more", () => {
    const wild = ratioOfMedians([1, 30, 10, 2, 25, 10, 19, 3], peer, seededRandom(1));
    const calm = ratioOfMedians(ours, peer, seededRandom(1));
    expect(wild.high - wild.low).toBeGreaterThan(calm.high - calm.low);
  });

  it("keeps the interval narrow if a disturbance affects both halves of a pair", () => {
    const disturbances = [1, 5, 1, 9, 1, 1, 3, 1, 2, 7];
    const paired = ratioOfMedians(
      disturbances.map((factor) => 10 * factor),
      disturbances.map((factor) => 20 * factor),
      seededRandom(1),
    );
    expect(paired).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
  });
});
