import { type Cron, isDay } from "./cron.ts";
import type { Zone } from "./zone.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** 29 February comes once in eight years at the least often (1896–1904, 2096–2104). */
const HORIZON = 9 * 366 * DAY;

/**
 * The first tick of a schedule after an instant (milliseconds since the epoch); null if there is none within nine
 * years.
 *
 * Changes of the clocks: a schedule that leaves the hour open follows elapsed time. Any other local time that the
 * change skips is due directly after it, several such times once; a repeated local time is due once, at its first
 * occurrence.
 */
export const nextTick = (cron: Cron, zone: Zone, after: number): number | null =>
  cron.everyHour ? byElapsedTime(cron, zone, after) : byWallTime(cron, zone, after);

/** The ticks after an instant, up to another one (inclusive), oldest first, `limit` at most. */
export const ticksBetween = (
  cron: Cron,
  zone: Zone,
  after: number,
  until: number,
  limit: number,
): readonly number[] => {
  const ticks: number[] = [];
  let at: number | null = after;
  while (ticks.length < limit) {
    at = nextTick(cron, zone, at);
    if (at === null || at > until) break;
    ticks.push(at);
  }
  return ticks;
};

const byElapsedTime = (cron: Cron, zone: Zone, after: number): number | null => {
  let at = (Math.floor(after / MINUTE) + 1) * MINUTE;
  const end = after + HORIZON;
  while (at <= end) {
    // The date in any zone is UTC's or one beside it: where none of these will do the zone need not be asked.
    const day = Math.floor(at / DAY);
    if (![day - 1, day, day + 1].some((near) => isDayOf(cron, near * DAY))) {
      at = (day + 1) * DAY;
      continue;
    }
    const wall = zone.wallAt(at);
    if (isDayOf(cron, wall)) {
      if (cron.minutes.has(new Date(wall).getUTCMinutes())) return at;
      at += MINUTE;
      continue;
    }
    // To shortly before the day ends; from there in small steps, for its end may move with the clocks.
    const left = DAY - mod(wall, DAY);
    at += left > 4 * HOUR ? left - 3 * HOUR : 15 * MINUTE - mod(at, 15 * MINUTE);
  }
  return null;
};

const byWallTime = (cron: Cron, zone: Zone, after: number): number | null => {
  const hours = sorted(cron.hours);
  const minutes = sorted(cron.minutes);
  const last = minutes.at(-1) ?? 0;
  const first = Math.floor(zone.wallAt(after) / DAY) - 1;
  for (let day = first; day <= first + HORIZON / DAY; day++) {
    if (!isDayOf(cron, day * DAY)) continue;
    for (const hour of hours) {
      const start = day * DAY + hour * HOUR;
      // A later local time is never due earlier: of an hour whose last one has gone by none is to come.
      if (dueAt(zone, start + last * MINUTE) <= after) continue;
      for (const minute of minutes) {
        const at = dueAt(zone, start + minute * MINUTE);
        if (at > after) return at;
      }
    }
  }
  return null;
};

const dueAt = (zone: Zone, wall: number): number => zone.instantsOf(wall)[0] ?? zone.jumpOver(wall);

const isDayOf = (cron: Cron, wall: number): boolean => {
  const date = new Date(wall);
  return isDay(cron, date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay());
};

const sorted = (numbers: ReadonlySet<number>): readonly number[] =>
  [...numbers].sort((one, other) => one - other);

const mod = (value: number, by: number): number => ((value % by) + by) % by;
