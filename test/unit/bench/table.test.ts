import { describe, expect, it } from "vitest";
import { pairedRow, plainRow, verdictOf } from "../../../bench/harness/rows.ts";
import { seededRandom } from "../../../bench/harness/statistics.ts";
import { renderTable, withUnit } from "../../../bench/harness/table.ts";

const compared = (goal: Parameters<typeof pairedRow>[0]["goal"], ours: readonly number[]) =>
  pairedRow(
    {
      bench: "log-append",
      what: "appends",
      unit: "/s",
      peerIs: "an INSERT",
      ...(goal && { goal }),
    },
    { ours, peer: [100, 110, 90], again: [100, 110, 90] },
    seededRandom(1),
  );

describe("verdictOf", () => {
  it("misses a minimum ratio only below the bound", () => {
    const goal = { of: "ratio", atLeast: 0.5 } as const;
    expect(verdictOf(compared(goal, [49, 49, 49]))).toBe("MISS");
    expect(verdictOf(compared(goal, [50, 50, 50]))).toBe("met");
  });

  it("misses a maximum ratio only above the bound", () => {
    const goal = { of: "ratio", atMost: 1.05 } as const;
    expect(verdictOf(compared(goal, [106, 106, 106]))).toBe("MISS");
    expect(verdictOf(compared(goal, [105, 105, 105]))).toBe("met");
  });

  it("applies a goal for the value to the figure", () => {
    const about = { bench: "b", what: "w", unit: "ms", goal: { of: "value", atMost: 50 } as const };
    expect(verdictOf(plainRow(about, [51, 51]))).toBe("MISS");
    expect(verdictOf(plainRow(about, [49, 50]))).toBe("met");
  });

  it("returns null without a goal, and a miss without a figure", () => {
    expect(verdictOf(compared(undefined, [1, 1, 1]))).toBeNull();
    const goal = { of: "value", atMost: 50 } as const;
    expect(verdictOf({ goal, ours: Number.NaN, ratio: null })).toBe("MISS");
    expect(verdictOf({ goal: { of: "ratio", atLeast: 1 }, ours: 3, ratio: null })).toBe("MISS");
  });
});

describe("renderTable", () => {
  it("renders one line per row, with MISS for a missed goal", () => {
    const rows = [
      compared({ of: "ratio", atLeast: 0.5 }, [40, 40, 40]),
      plainRow(
        { bench: "catch-up", what: "read", unit: "/s", goal: { of: "value", atLeast: 40_000 } },
        [50_000],
      ),
    ];
    const lines = renderTable(rows).split("\n");
    expect(lines[0]).toMatch(/^bench +what +ours +peer +ratio \[95 %\] +noise \[95 %\] +goal$/);
    expect(lines[2]).toMatch(
      /^log-append +appends +40\.0 \/s +100 \/s +0\.40x \[0\.\d\d, 0\.\d\d\] +1\.00x \[1\.00, 1\.00\] +>= 0\.5x +MISS$/,
    );
    expect(lines[3]).toMatch(/^catch-up +read +50,000 \/s +>= 40,000 \/s$/);
    expect(lines).toContain("log-append: the peer is an INSERT.");
  });

  it("prints a repeated note once", () => {
    const row = plainRow({ bench: "b", what: "w", unit: "ms", note: "so it is" }, [1]);
    expect(renderTable([row, row]).match(/so it is/g)).toHaveLength(1);
  });
});

describe("withUnit", () => {
  it("keeps at least three significant digits", () => {
    expect(withUnit(12_345.6, "/s")).toBe("12,346 /s");
    expect(withUnit(45.67, "ms")).toBe("45.7 ms");
    expect(withUnit(1.234, "s")).toBe("1.23 s");
  });
});
