import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMonths, intervals } from "../../../../src/domain/billing/calendar.ts";
import { planCodes } from "../../../../src/domain/billing/catalog.ts";
import {
  compareTerms,
  isUpgrade,
  priceOf,
  prorationOf,
  type Terms,
} from "../../../../src/domain/billing/proration.ts";

const start = "2026-04-01T00:00:00.000Z";
const period = { start, end: "2026-05-01T00:00:00.000Z" };
const starter: Terms = { plan: "starter", interval: "month" };
const team: Terms = { plan: "team", interval: "month" };

describe("proration", () => {
  it("credits and charges half of each price halfway through a month", () => {
    expect(prorationOf(starter, team, period, "2026-04-16T00:00:00.000Z")).toEqual({
      lines: [
        { what: "credit", cents: -1450 },
        { what: "charge", cents: 4950 },
      ],
      dueCents: 3500,
    });
  });

  it("charges a full year and credits the rest of the month", () => {
    const year: Terms = { plan: "starter", interval: "year" };
    expect(prorationOf(starter, year, period, "2026-04-16T00:00:00.000Z").dueCents).toBe(
      29_000 - 1450,
    );
  });

  it("charges the full price after the free plan", () => {
    const free: Terms = { plan: "free", interval: null };
    expect(prorationOf(free, team, null, start).dueCents).toBe(9900);
  });

  it("charges the full price after the period ended without renewal", () => {
    expect(prorationOf(starter, team, period, period.end).dueCents).toBe(9900);
    expect(prorationOf(starter, team, period, "2026-05-01T01:00:00.000Z").dueCents).toBe(9900);
  });

  it("charges at least one cent", () => {
    expect(prorationOf(starter, team, period, "2026-04-30T23:59:59.000Z")).toEqual({
      lines: [{ what: "charge", cents: 1 }],
      dueCents: 1,
    });
  });

  it("adds up for any upgrade and never becomes negative", () => {
    const paid = fc.record({
      plan: fc.constantFrom(...planCodes.filter((code) => code !== "free")),
      interval: fc.constantFrom(...intervals),
    });
    fc.assert(
      fc.property(paid, paid, fc.double({ min: 0, max: 1, noNaN: true }), (from, to, share) => {
        fc.pre(isUpgrade(from, to));
        const end = addMonths(start, from.interval === "year" ? 12 : 1);
        const length = Date.parse(end) - Date.parse(start);
        const at = new Date(Date.parse(start) + Math.floor(length * share)).toISOString();
        const { lines, dueCents } = prorationOf(from, to, { start, end }, at);
        expect(lines.reduce((sum, { cents }) => sum + cents, 0)).toBe(dueCents);
        expect(dueCents).toBeGreaterThan(0);
        expect(dueCents).toBeLessThanOrEqual(priceOf(to));
      }),
    );
  });

  it("treats at most one direction between two terms as an upgrade", () => {
    const terms = fc.record({
      plan: fc.constantFrom(...planCodes),
      interval: fc.constantFrom(...intervals, null),
    });
    fc.assert(
      fc.property(terms, terms, (a, b) => {
        expect(isUpgrade(a, b) && isUpgrade(b, a)).toBe(false);
      }),
    );
  });
});

describe("comparing plans", () => {
  it("names lost limits and those that the current use exceeds", () => {
    const { gains, losses, noLongerFits } = compareTerms("team", "starter", { seats: 7 });
    expect(gains).toEqual([]);
    expect(losses).toContain("monthly_runs: 500 instead of 5000");
    expect(noLongerFits).toEqual(["seats: 7 in use, 5 allowed"]);
  });
});
