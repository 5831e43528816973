import type { Cron } from "./cron.ts";
import type { StandingSchedule } from "./schedule.ts";
import { ticksBetween } from "./ticks.ts";
import type { Zone } from "./zone.ts";

/** So many ticks are counted one by one in one look; what is beyond is looked at next. */
const MAX_TICKS = 1_000;

/**
 * What a scheduler has to do next for a schedule: nothing, to note ticks that nobody was there for, or to
 * fire one. One tick a time, for each depends on what became of the one before.
 */
export type Due =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "missed";
      readonly tick: string;
      readonly until: string;
      readonly count: number;
    }
  | { readonly kind: "fire"; readonly tick: string };

/** What is due of a schedule at an instant. */
export const dueAt = (schedule: StandingSchedule, cron: Cron, zone: Zone, now: string): Due => {
  if (schedule.status === "paused") return { kind: "nothing" };
  const from = Date.parse(schedule.settledUntil);
  const ticks = ticksBetween(cron, zone, from, Date.parse(now), MAX_TICKS);
  const [first] = ticks;
  if (first === undefined) return { kind: "nothing" };
  const latest = Date.parse(now) - schedule.terms.deadlineSeconds * 1000;
  const missed = ticks.filter((tick) => tick < latest);
  const last = missed.at(-1);
  if (last === undefined) return { kind: "fire", tick: new Date(first).toISOString() };
  return {
    kind: "missed",
    tick: new Date(first).toISOString(),
    until: new Date(last).toISOString(),
    count: missed.length,
  };
};
