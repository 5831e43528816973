/** Whether this is `npm run test:thorough`, which runs suites of `npm test` at full size. */
export const isThorough = process.env.THOROUGH === "1";

/** Returns the number of cases of a suite: `usual` in `npm test`, `thorough` in `npm run test:thorough`. An environment variable overrides both. */
export const size = (variable: string, usual: number, thorough: number): number =>
  Number(process.env[variable] ?? (isThorough ? thorough : usual));
