/** Whether this is `npm run test:thorough`, which repeats suites of `npm test` at full size. */
export const isThorough = process.env.THOROUGH === "1";

/** How many cases or rounds a suite plays: a few in `npm test`, many in `npm run test:thorough`. A variable in the environment overrides both. */
export const size = (variable: string, usual: number, thorough: number): number =>
  Number(process.env[variable] ?? (isThorough ? thorough : usual));
