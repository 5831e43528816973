import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Environment } from "./environment.ts";
import type { Row } from "./rows.ts";

/** One measurement in bench/results (shape: bench/results/README.md). */
export type Result = {
  readonly bench: string;
  readonly metric: string;
  /** Null if only the ratio was recorded. */
  readonly figure: number | null;
  readonly unit: string;
  readonly peer: string | null;
  /** `figure` divided by the peer's figure. `low` and `high` bound the 95 % interval; null if it was not recorded. */
  readonly ratio: {
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
  } | null;
  readonly machine: string;
  readonly commit: string;
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly note: string | null;
};

const describeMachine = ({ cpu, cores, memoryGb, node, postgres, load }: Environment): string =>
  `${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, PostgreSQL ${postgres}, load ${load.toFixed(1)}`;

/** Four significant digits: the intervals are wider than that. */
const round = (value: number): number => Number(value.toPrecision(4));

/** Converts the rows of a run into results. */
export const resultsOf = (
  rows: readonly Row[],
  environment: Environment,
  now: Date,
): readonly Result[] =>
  rows.map(({ bench, what, unit, ours, peerIs, ratio, note }) => ({
    bench,
    metric: what,
    figure: round(ours),
    unit,
    peer: peerIs,
    ratio: ratio && {
      value: round(ratio.value),
      low: round(ratio.low),
      high: round(ratio.high),
    },
    machine: describeMachine(environment),
    commit: environment.commit,
    date: now.toISOString().slice(0, 10),
    note,
  }));

const readResults = async (file: string): Promise<readonly Result[]> => {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
};

/**
 * Appends results to `folder/BENCH.json`, one file per bench. Returns the files that were written.
 * Throws if an existing file is not valid JSON; that file stays unchanged.
 */
export const appendResults = async (
  folder: string,
  results: readonly Result[],
): Promise<readonly string[]> => {
  await mkdir(folder, { recursive: true });
  const benches = [...new Set(results.map(({ bench }) => bench))];
  const files: string[] = [];
  for (const bench of benches) {
    const file = path.join(folder, `${bench}.json`);
    const added = results.filter((result) => result.bench === bench);
    const all = [...(await readResults(file)), ...added];
    await writeFile(file, `${JSON.stringify(all, null, 2)}\n`);
    files.push(file);
  }
  return files;
};
