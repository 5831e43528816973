import type { UsageEvent } from "./usage.ts";

/** A month of usage as it would have been under another limit. */
export type MonthUnder = {
  /** Units that were asked for: what was reserved, and what was refused as often as it has a receipt. */
  readonly asked: number;
  /** Units that would have been used or kept reserved at the month's end. */
  readonly held: number;
  readonly refusedRequests: number;
  readonly refusedUnits: number;
  /** Requests that were refused, and would not have been. */
  readonly allowedInstead: number;
  readonly firstRefusedAt: string | null;
};

type Recorded = { readonly event: UsageEvent; readonly at: string };

/** Folds what an organisation really asked for in a month under another limit: all or nothing, in the order in which it was asked, with what was given back given back. */
export const usageUnder = (events: Iterable<Recorded>, limit: number): MonthUnder => {
  let [asked, held, refusedRequests, refusedUnits, allowedInstead] = [0, 0, 0, 0, 0];
  let firstRefusedAt: string | null = null;
  const accepted = new Set<string>();
  const fits = (units: number, at: string): boolean => {
    asked += units;
    if (held + units <= limit) {
      held += units;
      return true;
    }
    refusedRequests += 1;
    refusedUnits += units;
    firstRefusedAt ??= at;
    return false;
  };
  for (const { event, at } of events) {
    switch (event.type) {
      case "RunsReserved": {
        const { runs } = event.data;
        const units = runs.reduce((sum, run) => sum + run.units, 0);
        if (fits(units, at)) for (const { runId } of runs) accepted.add(runId);
        break;
      }
      case "ReservationReleased":
        if (accepted.has(event.data.runId)) held -= event.data.units;
        break;
      case "RunsRefused":
        if (fits(event.data.requested, at)) allowedInstead += 1;
        break;
      case "ReservationUsed":
        break;
    }
  }
  return { asked, held, refusedRequests, refusedUnits, allowedInstead, firstRefusedAt };
};
