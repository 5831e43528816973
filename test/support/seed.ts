import fc from "fast-check";

/**
 * In CI the property tests draw the same cases each time, so that a commit is judged alike on every machine;
 * elsewhere each run draws others, and a failure prints its seed. `FC_SEED` names one.
 */
const given = process.env.FC_SEED ?? (process.env.CI ? "20261122" : undefined);
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });

/** The seed of a suite that draws its own cases: the variable's, else the one that the property tests were given, else any. */
export const seedOf = (variable: string): number =>
  Number(process.env[variable] ?? given ?? Math.floor(Math.random() * 2 ** 31));
