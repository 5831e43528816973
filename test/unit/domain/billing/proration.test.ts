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
  it("given half of a month left, when the plan grows, then half of each price is credited and charged, to the cent", () => {
    expect(prorationOf(starter, team, period, "2026-04-16T00:00:00.000Z")).toEqual({
      lines: [
        { what: "credit", cents: -1450 },
        { what: "charge", cents: 4950 },
      ],
      dueCents: 3500,
    });
  });

  it("given a month, when it becomes a year, then a new period is charged whole and the rest of the month credited", () => {
    const year: Terms = { plan: "starter", interval: "year" };
    expect(prorationOf(starter, year, period, "2026-04-16T00:00:00.000Z").dueCents).toBe(
      29_000 - 1450,
    );
  });

  it("given the free plan, when one is bought, then its whole price is due", () => {
    const free: Terms = { plan: "free", interval: null };
    expect(prorationOf(free, team, null, start).dueCents).toBe(9900);
  });

  it("given a period that is over, and none of its renewal yet, when the plan grows, then the new one is charged whole", () => {
    expect(prorationOf(starter, team, period, period.end).dueCents).toBe(9900);
    expect(prorationOf(starter, team, period, "2026-05-01T01:00:00.000Z").dueCents).toBe(9900);
  });

  it("given the last moment of a period, when the plan grows, then a cent is due: what is free is not told to whoever takes the money", () => {
    expect(prorationOf(starter, team, period, "2026-04-30T23:59:59.000Z")).toEqual({
      lines: [{ what: "charge", cents: 1 }],
      dueCents: 1,
    });
  });

  it("given any upgrade at any instant, then the lines add up, and nothing is ever owed back", () => {
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

  it("given two terms, then at most one way between them is an upgrade", () => {
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
  it("given a smaller plan, then what is lost is named, and what would no longer fit", () => {
    const { gains, losses, noLongerFits } = compareTerms("team", "starter", { seats: 7 });
    expect(gains).toEqual([]);
    expect(losses).toContain("monthly_runs: 500 instead of 5000");
    expect(noLongerFits).toEqual(["seats: 7 in use, 5 allowed"]);
  });
});
