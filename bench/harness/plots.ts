import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Plot, renderPlot } from "./plot.ts";
import type { PlotPoint, Row } from "./rows.ts";

const titles: Readonly<Record<PlotPoint["plot"], Pick<Plot, "title" | "x">>> = {
  events: { title: "What the log takes as events grow", x: "events in the log" },
  tests: { title: "GET /tests as tests grow", x: "tests of one organisation" },
  runs: { title: "What is read of runs as executions grow", x: "executions of one organisation" },
  subscribers: { title: "20 events to all who watch one run", x: "subscribers" },
};

/** The plots of the rows that belong to one, by name. */
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

/** Writes `NAME.svg` for each plot that the rows have into a folder; answers the files. */
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
