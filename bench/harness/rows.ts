import type { Paired } from "./pairs.ts";
import { type Estimate, median, type Random, ratioOfMedians } from "./statistics.ts";

/** What a figure must be. `ratio`: ours to the peer's; `value`: ours alone. */
export type Goal = { readonly of: "ratio" | "value" } & (
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

/** Where a figure stands in a plot of `--plots`. */
export type PlotPoint = {
  readonly plot: "events" | "tests" | "runs" | "subscribers";
  /** The line that it is a point of. Lines of one plot have one unit. */
  readonly line: string;
  readonly x: number;
};

/** A line of the table, with every sample that it is made from. */
export type Row = {
  readonly bench: string;
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number | null;
  /** What the peer is, in a few words. */
  readonly peerIs: string | null;
  readonly ratio: Estimate | null;
  /** The peer against itself. */
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

/** Whether a row meets its goal; null when it has none. Equal to the goal is met. */
export const verdictOf = (row: Pick<Row, "goal" | "ours" | "ratio">): Verdict => {
  const { goal } = row;
  if (!goal) return null;
  const figure = goal.of === "value" ? row.ours : row.ratio?.value;
  // A goal whose figure is not there was not met.
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

/** A row of a comparison in pairs. */
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

/** A row of a figure that stands for itself. `figure` makes it from the samples: their median unless given. */
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
