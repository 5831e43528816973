import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Plot, renderPlot } from "./plot.ts";
import type { PlotPoint, Row } from "./rows.ts";

const titles: Readonly<Record<PlotPoint["plot"], Pick<Plot, "title" | "x">>> = {
  events: { title: "Event log latency by number of events", x: "events in the log" },
  tests: { title: "GET /tests latency by number of tests", x: "tests of one organisation" },
  runs: {
    title: "Run list and dashboard latency by executions",
    x: "executions of one organisation",
  },
  subscribers: { title: "Time to deliver 20 events by subscribers", x: "subscribers" },
};

/** Groups the rows that have a plot point into plots, by name. */
export const plotsOf = (rows: readonly Row[]): ReadonlyMap<string, Plot> => {
  const plots = new Map<string, Plot>();
  for (const row of rows) {
    if (!row.at) continue;
    const { plot, line, x } = row.at;
    const before = plots.get(plot) ?? { ...titles[plot], y: row.unit, lines: [] };
    const own = before.lines.find(({ name }) => name === line);
    const points = [...(own?.points ?? []), { x, y: row.ours }];
    const lines = own
      ? before.lines.map((one) => (one === own ? { ...one, points } : one))
      : [...before.lines, { name: line, points }];
    plots.set(plot, { ...before, lines });
  }
  return plots;
};

/** Writes `NAME.svg` for each plot of the rows. Returns the files. */
export const writePlots = async (
  folder: string,
  rows: readonly Row[],
): Promise<readonly string[]> => {
  const files: string[] = [];
  await mkdir(folder, { recursive: true });
  for (const [name, plot] of plotsOf(rows)) {
    const file = path.join(folder, `${name}.svg`);
    await writeFile(file, renderPlot(plot));
    files.push(file);
  }
  return files;
};
