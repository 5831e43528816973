/** Returns numbers in [0, 1). */
export type Random = () => number;

/** The mulberry32 generator. A fixed seed makes intervals reproducible from the same samples. */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The quantile for a `share` from 0 to 1, linearly interpolated. Throws if there are no samples. */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error("There are no samples");
  return below + (above - below) * (at - Math.floor(at));
};

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** A figure with its 95 % confidence interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

const RESAMPLES = 2_000;

/**
 * The ratio of the medians of paired samples, with a 95 % percentile bootstrap interval. Whole pairs
 * are resampled, because a disturbance of the machine affects both halves of a pair.
 */
export const ratioOfMedians = (
  numerators: readonly number[],
  denominators: readonly number[],
  random: Random,
): Estimate => {
  const count = Math.min(numerators.length, denominators.length);
  const ratios: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    const drawn = Array.from({ length: count }, () => Math.floor(random() * count));
    const pick = (samples: readonly number[]) => drawn.map((index) => samples[index] ?? Number.NaN);
    ratios.push(median(pick(numerators)) / median(pick(denominators)));
  }
  return {
    value: median(numerators) / median(denominators),
    low: quantile(ratios, 0.025),
    high: quantile(ratios, 0.975),
  };
};
