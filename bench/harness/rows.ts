import type { Paired } from "./pairs.ts";
import { type Estimate, median, type Random, ratioOfMedians } from "./statistics.ts";

/** A bound. `ratio`: on the figure divided by the peer's; `value`: on the figure itself. */
export type Goal = { readonly of: "ratio" | "value" } & (
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

/** The position of a figure in a plot of `--plots`. */
export type PlotPoint = {
  readonly plot: "events" | "tests" | "runs" | "subscribers";
  /** The name of the line. All lines of a plot have the same unit. */
  readonly line: string;
  readonly x: number;
};

/** A line of the table, with its samples. */
export type Row = {
  readonly bench: string;
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number | null;
  /** A description of the peer. */
  readonly peerIs: string | null;
  readonly ratio: Estimate | null;
  /** The ratio of the two measurements of the peer. */
  readonly noise: Estimate | null;
  readonly goal: Goal | null;
  readonly samples: {
    readonly ours: readonly number[];
    readonly peer: readonly number[];
    readonly again: readonly number[];
  };
  readonly note: string | null;
  readonly at?: PlotPoint;
};

export type Verdict = "met" | "MISS" | null;

/** Whether a row meets its goal; null if it has none. A figure equal to the bound meets it. */
export const verdictOf = (row: Pick<Row, "goal" | "ours" | "ratio">): Verdict => {
  const { goal } = row;
  if (!goal) return null;
  const figure = goal.of === "value" ? row.ours : row.ratio?.value;
  if (figure === undefined || Number.isNaN(figure)) return "MISS";
  const isMet = "atLeast" in goal ? figure >= goal.atLeast : figure <= goal.atMost;
  return isMet ? "met" : "MISS";
};

type About = {
  readonly bench: string;
  readonly what: string;
  readonly unit: string;
  readonly goal?: Goal;
  readonly note?: string;
  readonly at?: PlotPoint;
};

/** A row that compares medians of paired samples. */
export const pairedRow = (
  about: About & { readonly peerIs: string },
  samples: Paired<number>,
  random: Random,
): Row => ({
  ...withDefaults(about),
  peerIs: about.peerIs,
  ours: median(samples.ours),
  peer: median(samples.peer),
  ratio: ratioOfMedians(samples.ours, samples.peer, random),
  noise: ratioOfMedians(samples.again, samples.peer, random),
  samples,
});

/** A row without a peer. `figure` aggregates the samples; the default is their median. */
export const plainRow = (
  about: About,
  samples: readonly number[],
  figure: (samples: readonly number[]) => number = median,
): Row => ({
  ...withDefaults(about),
  peerIs: null,
  ours: figure(samples),
  peer: null,
  ratio: null,
  noise: null,
  samples: { ours: samples, peer: [], again: [] },
});

const withDefaults = ({ bench, what, unit, goal, note, at }: About) => ({
  ...(at && { at }),
  bench,
  what,
  unit,
  goal: goal ?? null,
  note: note ?? null,
});
