import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMonths, periodAt } from "../../../../src/domain/billing/calendar.ts";

describe("billing periods", () => {
  it("given the last day of a month, when months pass, then each period ends on the last day there is", () => {
    const anchor = "2027-12-31T23:59:59.999Z";
    expect([1, 2, 3, 4].map((months) => addMonths(anchor, months))).toEqual([
      "2028-01-31T23:59:59.999Z",
      "2028-02-29T23:59:59.999Z",
      "2028-03-31T23:59:59.999Z",
      "2028-04-30T23:59:59.999Z",
    ]);
  });

  it("given a leap day, when years pass, then the period ends on 28 February until the next leap day", () => {
    const anchor = "2024-02-29T12:00:00.000Z";
    expect(addMonths(anchor, 12)).toBe("2025-02-28T12:00:00.000Z");
    expect(addMonths(anchor, 48)).toBe("2028-02-29T12:00:00.000Z");
    expect(periodAt(anchor, "year", "2025-02-28T12:00:00.000Z")).toEqual({
      start: "2025-02-28T12:00:00.000Z",
      end: "2026-02-28T12:00:00.000Z",
    });
  });

  it("given the instant at which a period ends, then it is the first of the next one", () => {
    const anchor = "2026-01-31T10:00:00.000Z";
    expect(periodAt(anchor, "month", "2026-02-28T09:59:59.999Z").start).toBe(anchor);
    expect(periodAt(anchor, "month", "2026-02-28T10:00:00.000Z")).toEqual({
      start: "2026-02-28T10:00:00.000Z",
      end: "2026-03-31T10:00:00.000Z",
    });
  });

  it("given any anchor and instant, then the instant lies within its period and periods follow one another", () => {
    const instant = fc
      .date({ min: new Date("2000-01-01"), max: new Date("2060-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
    fc.assert(
      fc.property(instant, instant, fc.constantFrom("month", "year"), (one, other, interval) => {
        const [anchor = "", at = ""] = [one, other].sort();
        const period = periodAt(anchor, interval, at);
        expect(period.start <= at && at < period.end).toBe(true);
        expect(periodAt(anchor, interval, period.end).start).toBe(period.end);
      }),
    );
  });
});
