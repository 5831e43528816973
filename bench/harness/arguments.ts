import { parseArgs } from "node:util";

export type Options = {
  readonly only: readonly string[];
  /** The number of pairs in each comparison; null for the default of each bench. */
  readonly pairs: number | null;
  readonly json: boolean;
  /** The folder for plots; null to write none. */
  readonly plots: string | null;
  /** Append the rows to bench/results. */
  readonly record: boolean;
  readonly list: boolean;
  readonly strict: boolean;
  readonly help: boolean;
};

export const USAGE = `npm run bench -- [options]

  --only NAME[,NAME]  run only these benches (--list prints the names)
  --pairs N           measure N pairs in each comparison (default: 30 in most)
  --json              print one JSON object: environment, rows, every sample
  --plots FOLDER      write the plots of --only scale to FOLDER as SVG
  --record            append the rows to bench/results
  --strict            exit with 1 if a goal is missed
  --list              print the benches and exit`;

/** An invalid command-line argument. */
export class ArgumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ArgumentError";
  }
}

/** Parses the command line. Throws ArgumentError if an option, a name or a number is invalid. */
export const readArguments = (given: readonly string[], names: readonly string[]): Options => {
  const { values } = parse(given);
  const requested = (values.only ?? [])
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
  for (const name of requested) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new ArgumentError(
      `Unknown bench "${name}".${nearest ? ` Did you mean ${nearest}?` : ""} Benches: ${names.join(", ")}.`,
    );
  }
  const pairs = values.pairs === undefined ? null : Number(values.pairs);
  if (pairs !== null && !(Number.isInteger(pairs) && pairs >= 1 && pairs <= 1_000)) {
    throw new ArgumentError(`--pairs ${values.pairs}: expected a whole number from 1 to 1000.`);
  }
  return {
    only: names.filter((name) => requested.length === 0 || requested.includes(name)),
    pairs,
    json: values.json ?? false,
    plots: values.plots ?? null,
    record: values.record ?? false,
    list: values.list ?? false,
    strict: values.strict ?? false,
    help: values.help ?? false,
  };
};

const parse = (given: readonly string[]) => {
  try {
    return parseArgs({
      args: [...given],
      options: {
        only: { type: "string", multiple: true },
        pairs: { type: "string" },
        json: { type: "boolean" },
        plots: { type: "string" },
        record: { type: "boolean" },
        list: { type: "boolean" },
        strict: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new ArgumentError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
};

/** The name with the smallest edit distance, or null if none is close. */
export const nearestName = (name: string, names: readonly string[]): string | null => {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const candidate of names) {
    const distance = editDistance(name, candidate);
    if (best === null || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.max(2, best.name.length / 2) ? best.name : null;
};

/** Levenshtein distance. */
const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const current = [i + 1];
    for (const [j, other] of [...b].entries()) {
      current.push(
        Math.min(
          (previous[j + 1] ?? 0) + 1,
          (current[j] ?? 0) + 1,
          (previous[j] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
};
