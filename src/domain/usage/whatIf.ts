import type { UsageEvent } from "./usage.ts";

/** A month of usage under another limit. */
export type MonthUnder = {
  /** Requested units: reserved ones, and refused ones once per receipt. */
  readonly asked: number;
  /** Units used or reserved at the end of the month under that limit. */
  readonly held: number;
  readonly refusedRequests: number;
  readonly refusedUnits: number;
  /** Refused requests that the limit would have admitted. */
  readonly allowedInstead: number;
  readonly firstRefusedAt: string | null;
};

type Recorded = { readonly event: UsageEvent; readonly at: string };

/** Replays a month of requests under another limit: each all or nothing, in the original order, with the original releases and refunds. */
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
      case "UnitRefunded":
        if (accepted.has(event.data.runId)) held -= 1;
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
