import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMonths, periodAt } from "../../../../src/domain/billing/calendar.ts";

describe("billing periods", () => {
  it("clamps the end of a period to the last day of the month", () => {
    const anchor = "2027-12-31T23:59:59.999Z";
    expect([1, 2, 3, 4].map((months) => addMonths(anchor, months))).toEqual([
      "2028-01-31T23:59:59.999Z",
      "2028-02-29T23:59:59.999Z",
      "2028-03-31T23:59:59.999Z",
      "2028-04-30T23:59:59.999Z",
    ]);
  });

  it("ends a period that started on a leap day on 28 February in common years", () => {
    const anchor = "2024-02-29T12:00:00.000Z";
    expect(addMonths(anchor, 12)).toBe("2025-02-28T12:00:00.000Z");
    expect(addMonths(anchor, 48)).toBe("2028-02-29T12:00:00.000Z");
    expect(periodAt(anchor, "year", "2025-02-28T12:00:00.000Z")).toEqual({
      start: "2025-02-28T12:00:00.000Z",
      end: "2026-02-28T12:00:00.000Z",
    });
  });

  it("assigns the end of a period to the next period", () => {
    const anchor = "2026-01-31T10:00:00.000Z";
    expect(periodAt(anchor, "month", "2026-02-28T09:59:59.999Z").start).toBe(anchor);
    expect(periodAt(anchor, "month", "2026-02-28T10:00:00.000Z")).toEqual({
      start: "2026-02-28T10:00:00.000Z",
      end: "2026-03-31T10:00:00.000Z",
    });
  });

  it("covers every instant with consecutive periods", () => {
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
