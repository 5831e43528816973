import { describe, expect, it } from "vitest";
import { type Plot, renderPlot } from "../../../bench/harness/plot.ts";
import { plotsOf } from "../../../bench/harness/plots.ts";
import { plainRow } from "../../../bench/harness/rows.ts";

const plot: Plot = {
  title: "Reads & writes",
  x: "events",
  y: "ms",
  lines: [
    {
      name: "read <a stream>",
      points: [
        { x: 1_000, y: 2 },
        { x: 100_000, y: 4.7 },
      ],
    },
    {
      name: "append",
      points: [
        { x: 10_000, y: 3 },
        { x: 1_000, y: 1 },
      ],
    },
  ],
};

describe("renderPlot", () => {
  it("renders the same bytes for any order of the points", () => {
    const turned = {
      ...plot,
      lines: plot.lines.map((line) => ({ ...line, points: [...line.points].reverse() })),
    };
    expect(renderPlot(turned)).toBe(renderPlot(plot));
  });

  it("escapes markup in names", () => {
    const svg = renderPlot(plot);
    expect(svg).toContain("read &#60;a stream&#62;");
    expect(svg).toContain("Reads &#38; writes");
    expect(svg).not.toContain("<a stream>");
  });

  it("uses a logarithmic x axis and a round maximum", () => {
    const svg = renderPlot(plot);
    const columns = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
    const [first = 0, last = 0, , middle = 0] = columns;
    expect(middle - first).toBeCloseTo(last - middle, 0);
    expect(svg).toContain(">5</text>");
  });

  it("throws if there are no lines or a line has no points", () => {
    expect(() => renderPlot({ ...plot, lines: [] })).toThrow("Nothing to plot: Reads & writes");
    expect(() => renderPlot({ ...plot, lines: [{ name: "none", points: [] }] })).toThrow("Nothing");
  });

  it("renders a single size", () => {
    expect(renderPlot({ ...plot, lines: [{ name: "one", points: [{ x: 5, y: 0 }] }] })).not.toMatch(
      /NaN|Infinity/,
    );
  });
});

describe("plotsOf", () => {
  it("groups rows by plot and line, and ignores rows without a plot point", () => {
    const row = (plot: "tests" | "runs", line: string, x: number, y: number) =>
      plainRow({ bench: "scale", what: line, unit: "ms", at: { plot, line, x } }, [y]);
    const plots = plotsOf([
      row("tests", "list", 1, 5),
      plainRow({ bench: "scale", what: "disk", unit: "bytes" }, [1]),
      row("runs", "list", 1, 7),
      row("tests", "list", 2, 6),
      row("tests", "search", 1, 9),
    ]);
    expect([...plots.keys()]).toEqual(["tests", "runs"]);
    expect(plots.get("tests")?.lines).toEqual([
      {
        name: "list",
        points: [
          { x: 1, y: 5 },
          { x: 2, y: 6 },
        ],
      },
      { name: "search", points: [{ x: 1, y: 9 }] },
    ]);
  });
});
