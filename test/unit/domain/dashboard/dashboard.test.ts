import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forecastOf } from "../../../../src/domain/dashboard/forecast.ts";
import {
  firstDayOf,
  numberOfDay,
  SPANS,
  spansSince,
} from "../../../../src/domain/dashboard/spans.ts";
import {
  type Ended,
  neverRun,
  reviseStanding,
  standingAfter,
} from "../../../../src/domain/dashboard/standing.ts";
import { flakinessOf } from "../../../../src/domain/reports/flakiness.ts";
import { verdict } from "../../../../src/domain/runs/verdict.ts";

const month = {
  limit: 100,
  reserved: 0,
  startsAt: "2026-03-01T00:00:00.000Z",
  resetsAt: "2026-04-01T00:00:00.000Z",
};
const on = (day: number) => new Date(`2026-03-${String(day).padStart(2, "0")}T00:00:00.000Z`);

describe("forecast of a month", () => {
  it("extrapolates the current rate and names when the quota runs out", () => {
    const told = forecastOf({ ...month, used: 31, resetsAt: "2026-04-01T00:00:00.000Z" }, on(11));
    expect(told.expectedUsed).toBe(96);
    expect(told.runsOutAt).toBeNull();
    const more = forecastOf({ ...month, used: 40, reserved: 10 }, on(11));
    expect(more).toEqual({ expectedUsed: 155, runsOutAt: "2026-03-21T00:00:00.000Z" });
  });

  it("handles an unused, an exhausted and a new month", () => {
    expect(forecastOf({ ...month, used: 0 }, on(1))).toEqual({ expectedUsed: 0, runsOutAt: null });
    expect(forecastOf({ ...month, used: 100 }, on(11)).runsOutAt).toBe(on(11).toISOString());
    const early = new Date("2026-03-01T00:01:00.000Z");
    expect(forecastOf({ ...month, used: 1 }, early).expectedUsed).toBe(32);
  });
});

const ended = (n: number, status: Ended["status"], at = n): Ended => ({
  executionId: `execution ${n}`,
  runId: `run ${n}`,
  eventId: `event ${n}`,
  status,
  testVersion: 1,
  at: new Date(Date.UTC(2026, 2, 1, 0, at)).toISOString(),
});

describe("standing of a test", () => {
  it("fails since the first of consecutive failures, ignoring cancelled executions", () => {
    const all = [
      ended(1, "passed"),
      ended(2, "failed"),
      ended(3, "cancelled"),
      ended(4, "errored"),
    ];
    const { failingSince } = all.reduce((at, one) => standingAfter(at, one).standing, neverRun);
    expect(failingSince).toMatchObject({ executionId: "execution 2", eventId: "event 2" });
  });

  it("stops failing after a pass", () => {
    const all = [ended(1, "failed"), ended(2, "flaky")];
    expect(
      all.reduce((at, one) => standingAfter(at, one).standing, neverRun).failingSince,
    ).toBeNull();
  });

  it("ignores an execution that ended before the last known one", () => {
    const now = standingAfter(neverRun, ended(5, "passed")).standing;
    expect(standingAfter(now, ended(6, "failed", 3)).standing).toEqual(now);
  });

  it("follows a changed verdict of the last execution only", () => {
    const now = standingAfter(neverRun, ended(1, "failed")).standing;
    expect(reviseStanding(now, ended(1, "passed")).failingSince).toBeNull();
    expect(reviseStanding(now, ended(0, "passed"))).toEqual(now);
  });

  it("counts the same signs of flakiness as the test's report", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...verdict.options), { maxLength: 30 }), (statuses) => {
        let standing = neverRun;
        let signs = 0;
        for (const [n, status] of statuses.entries()) {
          const after = standingAfter(standing, ended(n, status));
          standing = after.standing;
          signs += after.sign ? 1 : 0;
        }
        const outcomes = statuses.map((status, n) => ({
          ...{ executionId: `execution ${n}`, testVersion: 1, place: "", status },
          at: ended(n, status).at,
        }));
        expect(signs).toBe(flakinessOf(outcomes).signs);
      }),
    );
  });
});

describe("spans of days", () => {
  it("cover every day from the first one exactly once", () => {
    fc.assert(
      fc.property(fc.nat(40_000), fc.integer({ min: -40, max: 120 }), (since, offset) => {
        const day = since + offset;
        const looked = SPANS.filter((span) => {
          const first = firstDayOf(span, day);
          return spansSince(since).some(
            (range) =>
              range.span === span &&
              first >= range.from &&
              (range.before === null || first < range.before),
          );
        });
        expect(looked).toHaveLength(offset >= 0 ? 1 : 0);
      }),
    );
  });

  it("number days since 1970", () => {
    expect(["1970-01-01", "1970-01-02", "2026-11-22"].map(numberOfDay)).toEqual([0, 1, 20_779]);
  });
});
