/** A source of numbers in [0, 1): the same seed gives the same numbers (mulberry32). */
export type Random = () => number;

/** A seeded source of random numbers, so that a table can be made again from the same samples. */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/**
 * The value below which a share (0 to 1) of the samples lies, between neighbours by proportion.
 * Throws when there is no sample: a measurement that did not happen has no figure.
 */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error("No sample was taken");
  return below + (above - below) * (at - Math.floor(at));
};

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** A figure with the interval in which it lies with 95 % confidence. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

const RESAMPLES = 2_000;

/**
 * The ratio of the medians of paired samples, with a 95 % interval: the percentile bootstrap over
 * whole pairs, because what disturbs the machine disturbs both halves of a pair.
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
