import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cron, readCron } from "../../../../src/domain/schedules/cron.ts";
import { nextTick, ticksBetween } from "../../../../src/domain/schedules/ticks.ts";
import { isZone, zoneOf } from "../../../../src/domain/schedules/zone.ts";

const cronOf = (expression: string): Cron => {
  const read = readCron(expression);
  if (!read.ok) throw new Error(read.reason);
  return read.cron;
};

const ticks = (expression: string, zone: string, from: string, until: string): string[] =>
  ticksBetween(
    cronOf(expression),
    zoneOf(zone),
    Date.parse(from) - 1,
    Date.parse(until),
    2_000,
  ).map((at) => new Date(at).toISOString().slice(0, 16));

describe("parsing a cron expression", () => {
  it.each([
    ["0 0 * * * *", /five fields.*has 6/],
    ["@daily", /five fields.*@daily/],
    ["0 9 L * *", /no day of month/],
    ["0 9 * * 1#2", /no day of week/],
    ["60 * * * *", /no minute/],
    ["* 24 * * *", /no hour/],
    ["0 0 0 * *", /no day of month/],
    ["0 0 * 13 *", /no month/],
    ["0 0 * * 8", /no day of week/],
    ["0 0 30 2 *", /no such date/],
    ["0 0 31 4,6,9,11 *", /no such date/],
    ["5-1 * * * *", /no minute/],
    ["*/0 * * * *", /no minute/],
    ["1,,2 * * * *", /no minute/],
    ["* * * jam *", /no month/],
    ["", /five fields/],
    ["* ".repeat(200), /too long/],
  ])("rejects %j with the reason", (expression, reason) => {
    const read = readCron(expression);
    expect(read.ok).toBe(false);
    expect(read.ok ? "" : read.reason).toMatch(reason);
  });

  it("accepts names, ranges, lists and steps", () => {
    const { minutes, hours, months, daysOfWeek } = cronOf("*/20,5 8-10 * jan-MAR,dec sun,MON,7");
    expect([...minutes].sort((a, b) => a - b)).toEqual([0, 5, 20, 40]);
    expect([...hours]).toEqual([8, 9, 10]);
    expect([...months]).toEqual([1, 2, 3, 12]);
    expect([...daysOfWeek]).toEqual([0, 1]);
  });

  it("accepts 29 February, and an impossible date with a weekday", () => {
    expect(readCron("0 0 29 2 *").ok).toBe(true);
    expect(readCron("0 0 30 2 1").ok).toBe(true);
  });
});

describe("next ticks", () => {
  it("match either day field if both are set", () => {
    expect(ticks("0 9 13 * 5", "UTC", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z")).toEqual([
      "2026-02-06T09:00",
      "2026-02-13T09:00",
      "2026-02-20T09:00",
      "2026-02-27T09:00",
    ]);
  });

  it("move a local time that daylight saving skips to right after the change", () => {
    const [from, until] = ["2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z"];
    expect(ticks("30 2 * * *", "Europe/Berlin", from, until)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(ticks("*/10 2 * * *", "Europe/Berlin", from, "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-29T01:00",
    ]);
    // What is due at the jump itself is not due twice.
    expect(ticks("0,30 2,3 * * *", "Europe/Berlin", from, "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-29T01:00",
      "2026-03-29T01:30",
    ]);
  });

  it("use the first of two equal local times", () => {
    expect(
      ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"),
    ).toEqual(["2026-10-25T00:30", "2026-10-26T01:30"]);
    expect(
      ticks("30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", "2026-11-02T12:00:00Z"),
    ).toEqual(["2026-11-01T05:30", "2026-11-02T06:30"]);
  });

  it("follow elapsed time through clock changes if the hour is a wildcard", () => {
    expect(
      ticks("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T03:00:00Z"),
    ).toEqual(["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"]);
    expect(
      ticks("30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"),
    ).toEqual(["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"]);
  });

  it("follow the rules in the southern hemisphere, for half-hour changes and for a skipped date", () => {
    // Santiago jumps at midnight: the day begins at 01:00.
    expect(
      ticks("0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-07T12:00:00Z"),
    ).toEqual(["2026-09-06T04:00", "2026-09-07T03:00"]);
    // Lord Howe's clocks move by half an hour, from 02:00 to 02:30.
    expect(
      ticks("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z"),
    ).toEqual(["2026-10-03T15:30", "2026-10-04T15:15"]);
    // Samoa went from 29 to 31 December 2011.
    expect(
      ticks("0 9 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-02T00:00:00Z"),
    ).toEqual(["2011-12-30T10:00"]);
  });

  it("find 29 February across a century without a leap day", () => {
    const at = nextTick(cronOf("0 0 29 2 *"), zoneOf("UTC"), Date.parse("2096-03-01T00:00:00Z"));
    expect(at && new Date(at).toISOString()).toBe("2104-02-29T00:00:00.000Z");
  });

  it("accept IANA time zone names only", () => {
    expect(["Europe/Berlin", "UTC", "Asia/Kathmandu"].map(isZone)).toEqual([true, true, true]);
    expect(["", "Mars/Base", "+02:00", "a".repeat(100)].map(isZone)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it.each(["0 * 29 2 *", "* 0-22 * * *", "59,0 23,5 1 1 *"])(
    "convert few local times per tick for %s",
    (expression) => {
      const zone = zoneOf("Europe/Berlin");
      let asked = 0;
      const counted = {
        ...zone,
        wallAt: (at: number) => {
          asked += 1;
          return zone.wallAt(at);
        },
        instantsOf: (wall: number) => {
          asked += 1;
          return zone.instantsOf(wall);
        },
      };
      const from = Date.parse("2026-07-01T12:00:30Z");
      const ticks = ticksBetween(cronOf(expression), counted, from, from * 2, 50);
      expect(ticks).toHaveLength(50);
      expect([...ticks].sort((one, other) => one - other)).toEqual(ticks);
      expect(asked).toBeLessThan(50 * 130);
    },
  );

  it("equal a check of every minute for any expression and zone", () => {
    const field = (from: number, to: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min: from, max: to }).map(String),
        fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
      );
    const expression = fc
      .tuple(
        field(0, 59),
        field(0, 23),
        fc.constantFrom("*", "*", "29", "*/2"),
        fc.constantFrom("*", "3,10"),
        fc.constantFrom("*", "*", "0", "1-5"),
      )
      .map((parts) => parts.join(" "));
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "America/Santiago",
      "Africa/Casablanca",
      "UTC",
    ];
    const around = [
      "2026-03-28T12:00:00Z",
      "2026-10-24T12:00:00Z",
      "2026-04-04T06:00:00Z",
      "2026-09-05T12:00:00Z",
      "2026-10-03T06:00:00Z",
      "2026-03-07T20:00:00Z",
      "2026-10-31T20:00:00Z",
    ];
    fc.assert(
      fc.property(
        expression,
        fc.constantFrom(...zones),
        fc.constantFrom(...around),
        (text, name, start) => {
          const [cron, zone] = [cronOf(text), zoneOf(name)];
          const from = Date.parse(start);
          const until = from + 40 * 3_600_000;
          const found = ticksBetween(cron, zone, from, until, 10_000);
          expect(found).toEqual(oneByOne(cron, name, from, until));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** The rule, told minute by minute: what the clocks show, what they have shown, and what they jumped over. */
const oneByOne = (cron: Cron, name: string, from: number, until: number): number[] => {
  const zone = zoneOf(name);
  const matches = (wall: number): boolean => {
    const date = new Date(wall);
    const month = date.getUTCMonth() + 1;
    const byMonth = cron.daysOfMonth.has(date.getUTCDate());
    const byWeek = cron.daysOfWeek.has(date.getUTCDay());
    return (
      cron.minutes.has(date.getUTCMinutes()) &&
      cron.hours.has(date.getUTCHours()) &&
      cron.months.has(month) &&
      (cron.eitherDay ? byMonth || byWeek : byMonth && byWeek)
    );
  };
  const due: number[] = [];
  // From early enough that what is repeated later has been seen before.
  const shown = new Set<number>();
  let previous = zone.wallAt(from - 3 * 3_600_000) - 60_000;
  for (let at = from - 3 * 3_600_000; at <= until; at += 60_000) {
    const wall = zone.wallAt(at);
    let isDue = matches(wall) && (cron.everyHour || !shown.has(wall));
    if (!cron.everyHour) {
      for (let skipped = previous + 60_000; skipped < wall; skipped += 60_000) {
        if (matches(skipped)) isDue = true;
      }
    }
    shown.add(wall);
    previous = Math.max(previous, wall);
    if (cron.everyHour) previous = wall;
    if (isDue && at > from) due.push(at);
  }
  return due;
};
