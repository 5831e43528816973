import type { CommandContext } from "../kernel/commandLoop.ts";
import { createLru } from "../kernel/lru.ts";
import {
  markReservationUsed,
  type Reservation,
  refundUnit,
  releaseReservation,
  releaseUnqueued,
  type UsageDeps,
  type UsedUnit,
} from "./reservations.ts";
import { reserveRuns } from "./reserveRuns.ts";

export type { Reservation } from "./reservations.ts";

/** The watchdog releases units of runs that were not queued this long after the reservation (domain.md, "Queueing"). */
export const RELEASE_AFTER_MS = 60_000;

const MAX_PRINCIPALS = 10_000;

export type UsageCommands = ReturnType<typeof usageCommands>;

/** Commands on the monthly quota. */
export const usageCommands = (deps: UsageDeps) => {
  const unrecorded = createLru<string, number>(MAX_PRINCIPALS);
  return {
    reserveRuns: (
      context: CommandContext,
      organizationId: string,
      runs: readonly { readonly runId: string; readonly units: number }[],
    ) => reserveRuns(deps, unrecorded, context, { organizationId, runs }),
    markReservationUsed: (
      context: CommandContext,
      reservation: Reservation & { readonly executionId: string },
    ) => markReservationUsed(deps, context, reservation),
    releaseReservation: (
      context: CommandContext,
      reservation: Reservation & { readonly executionId: string; readonly reason: string },
    ) => releaseReservation(deps, context, reservation),
    refundUnit: (context: CommandContext, unit: UsedUnit & { readonly reason: string }) =>
      refundUnit(deps, context, unit),
    releaseUnqueued: (context: CommandContext, reservation: Reservation) =>
      releaseUnqueued(deps, context, reservation),
  };
};
