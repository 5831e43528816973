import type { Row } from "./rows.ts";
import type { Random } from "./statistics.ts";

/** The environment of a bench. */
export type BenchContext = {
  /** The number of pairs to measure: `--pairs`, or else `defaultPairs`. */
  pairs(defaultPairs: number): number;
  readonly random: Random;
  /** PostgreSQL with the product's settings, fsync on. The user may create databases. */
  readonly postgresUrl: string;
  /** The path of an executable Chromium. Rejects if there is none. */
  browserPath(): Promise<string>;
  /** A folder of this bench, removed at its end. */
  readonly folder: string;
  /** Adds a cleanup task. Tasks run last added first, also if the bench fails or is interrupted. */
  defer(task: () => Promise<unknown> | unknown): void;
  /** Writes a progress message to stderr. */
  log(message: string): void;
};

export type RunBench = (context: BenchContext) => Promise<readonly Row[]>;

export type Bench = {
  readonly name: string;
  /** A short description for --list. */
  readonly what: string;
  /** Loads the bench on demand, so that its process has no modules of other benches. */
  load(): Promise<{ readonly run: RunBench }>;
};
