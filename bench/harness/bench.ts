import type { Row } from "./rows.ts";
import type { Random } from "./statistics.ts";

/** What a bench is given. */
export type BenchContext = {
  /** How many pairs to measure where the bench would have `usual`. */
  pairs(usual: number): number;
  readonly random: Random;
  /** The PostgreSQL of this run, with the right to make databases; the product's settings, with fsync. */
  readonly postgresUrl: string;
  /** An executable Chromium; rejects when there is none. */
  browserPath(): Promise<string>;
  /** A folder of this bench's own, removed at its end. */
  readonly folder: string;
  /** Something to undo at the end, also when the bench fails or is interrupted; newest first. */
  defer(undo: () => Promise<unknown> | unknown): void;
  /** Says what is going on, on stderr. */
  say(message: string): void;
};

export type RunBench = (context: BenchContext) => Promise<readonly Row[]>;

export type Bench = {
  readonly name: string;
  /** In a few words, for --list. */
  readonly what: string;
  /** Loaded when it runs: none has the modules of another in its process. */
  load(): Promise<{ readonly run: RunBench }>;
};
