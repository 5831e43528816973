import type { Cron } from "./cron.ts";
import type { StandingSchedule } from "./schedule.ts";
import { ticksBetween } from "./ticks.ts";
import type { Zone } from "./zone.ts";

/** The maximum number of missed ticks that one pass counts; the next pass continues. */
const MAX_TICKS = 1_000;

/**
 * The next action of the scheduler for a schedule: none, recording missed ticks, or firing one tick. One tick at a
 * time, because each depends on the outcome of the previous one.
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

/** The action due for a schedule at an instant. */
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
