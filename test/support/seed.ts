import fc from "fast-check";

/**
 * In CI the property tests use a fixed seed, so that each commit is tested with the same cases on every machine.
 * Elsewhere each run uses another seed, which a failure prints. `FC_SEED` sets one.
 */
const given = process.env.FC_SEED ?? (process.env.CI ? "20261122" : undefined);
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });

/** Returns the seed of a suite with its own cases: the variable's, otherwise that of the property tests, otherwise a random one. */
export const seedOf = (variable: string): number =>
  Number(process.env[variable] ?? given ?? Math.floor(Math.random() * 2 ** 31));
