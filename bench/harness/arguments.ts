import { parseArgs } from "node:util";

export type Wanted = {
  readonly only: readonly string[];
  /** Pairs of each bench instead of its own number; null: as the bench says. */
  readonly pairs: number | null;
  readonly json: boolean;
  /** A folder for the plots of what was measured at several sizes; null: none are written. */
  readonly plots: string | null;
  readonly list: boolean;
  readonly strict: boolean;
  readonly help: boolean;
};

export const USAGE = `npm run bench -- [options]

  --only NAME[,NAME]  these benches alone (--list names them)
  --pairs N           N pairs in each comparison, for a quick look (30 in most by default)
  --json              one JSON object on stdout: environment, rows, every sample
  --plots FOLDER      write plots of what is measured at several sizes (--only scale) there
  --strict            exit code 1 when a goal is missed
  --list              name the benches and end`;

/** An argument that cannot be meant, said so that a person can mend it. */
export class ArgumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ArgumentError";
  }
}

/** Reads the command line. Throws ArgumentError. */
export const readArguments = (given: readonly string[], names: readonly string[]): Wanted => {
  const { values } = parse(given);
  const only = (values.only ?? []).flatMap((text) => text.split(","));
  const asked = only.map((name) => name.trim()).filter((name) => name !== "");
  for (const name of asked) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new ArgumentError(
      `There is no bench ${name}.${nearest ? ` Did you mean ${nearest}?` : ""} There are: ${names.join(", ")}.`,
    );
  }
  const pairs = values.pairs === undefined ? null : Number(values.pairs);
  if (pairs !== null && !(Number.isInteger(pairs) && pairs >= 1 && pairs <= 1_000)) {
    throw new ArgumentError(`--pairs ${values.pairs}: write a whole number from 1 to 1000.`);
  }
  return {
    only: names.filter((name) => asked.length === 0 || asked.includes(name)),
    pairs,
    json: values.json ?? false,
    plots: values.plots ?? null,
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
        list: { type: "boolean" },
        strict: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new ArgumentError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
};

/** The name that is fewest changes away, when it is near enough to be meant. */
export const nearestName = (name: string, names: readonly string[]): string | null => {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const candidate of names) {
    const distance = editDistance(name, candidate);
    if (best === null || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.max(2, best.name.length / 2) ? best.name : null;
};

/** How many letters must be put in, left out or replaced (Levenshtein). */
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
