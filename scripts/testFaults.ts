import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";

/**
 * `npm run test:faults [-- --rounds N] [--seed S]`: kills and cuts at random points while runs are in flight. Each
 * round prints its seed; `--seed S --rounds 1` repeats that round. Other arguments are passed to vitest.
 */
const { values, tokens } = parseArgs({
  options: { rounds: { type: "string" }, seed: { type: "string" } },
  strict: false,
  tokens: true,
});

const wholeNumber = (name: "rounds" | "seed", least: number): string | undefined => {
  const value = values[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^\d{1,9}$/.test(value) && Number(value) >= least) return value;
  process.stderr.write(`--${name} takes a whole number from ${least} on.\n`);
  process.exit(64);
};
const given = Object.entries({
  FAULT_ROUNDS: wholeNumber("rounds", 1),
  FAULT_SEED: wholeNumber("seed", 0),
}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

/** The arguments but for ours and their values. */
const ours = new Set(
  tokens.flatMap((token) => {
    if (token.kind !== "option" || !["rounds", "seed"].includes(token.name)) return [];
    return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
  }),
);
const rest = process.argv.slice(2).filter((_, index) => !ours.has(index));

const vitest = path.join(
  path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const child = spawn(
  process.execPath,
  [vitest, "run", "--config", "vitest.faults.config.ts", ...rest],
  { stdio: "inherit", env: { ...process.env, ...Object.fromEntries(given) } },
);
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
