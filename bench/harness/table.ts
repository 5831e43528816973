import { type Goal, type Row, verdictOf } from "./rows.ts";
import type { Estimate } from "./statistics.ts";

const HEADINGS = ["bench", "what", "ours", "peer", "ratio [95 %]", "noise [95 %]", "goal", ""];
/** Right-aligned columns. */
const FIGURES = new Set([2, 3]);

/** Renders the rows as a text table, followed by peers and notes. */
export const renderTable = (rows: readonly Row[]): string => {
  const lines = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? "").length)),
  );
  const rendered = lines.map((cells) =>
    cells
      .map((cell, column) =>
        FIGURES.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const rule = "-".repeat(Math.max(...rendered.map((line) => line.length)));
  const [heading = "", ...body] = rendered;
  return [heading, rule, ...body, ...remarks(rows)].join("\n");
};

const cellsOf = (row: Row): string[] => [
  row.bench,
  row.what,
  withUnit(row.ours, row.unit),
  row.peer === null ? "" : withUnit(row.peer, row.unit),
  describeEstimate(row.ratio),
  describeEstimate(row.noise),
  describeGoal(row.goal, row.unit),
  verdictOf(row) === "MISS" ? "MISS" : "",
];

/** Peers and notes without duplicates. */
const remarks = (rows: readonly Row[]): string[] => {
  const lines = rows.flatMap((row) => [
    ...(row.peerIs ? [`${row.bench}: the peer is ${row.peerIs}.`] : []),
    ...(row.note ? [`${row.bench}: ${row.note}`] : []),
  ]);
  return lines.length > 0 ? ["", ...new Set(lines)] : [];
};

/** A figure with three significant digits or more, and its unit. */
export const withUnit = (value: number, unit: string): string => `${digits(value)} ${unit}`.trim();

const digits = (value: number): string => {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
};

const describeEstimate = (estimate: Estimate | null): string =>
  estimate === null
    ? ""
    : `${estimate.value.toFixed(2)}x [${estimate.low.toFixed(2)}, ${estimate.high.toFixed(2)}]`;

const describeGoal = (goal: Goal | null, unit: string): string => {
  if (!goal) return "";
  const [sign, bound] = "atLeast" in goal ? [">=", goal.atLeast] : ["<=", goal.atMost];
  return `${sign} ${goal.of === "ratio" ? `${bound}x` : `${bound.toLocaleString("en-US")} ${unit}`}`;
};
