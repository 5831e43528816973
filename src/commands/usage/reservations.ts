import { runDecider } from "../../domain/runs/run.ts";
import { type Period, usageId } from "../../domain/usage/period.ts";
import type { Principal } from "../../domain/usage/spender.ts";
import { type UsageCommand, usageDecider } from "../../domain/usage/usage.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";

export type UsageDeps = { readonly loop: CommandLoop; readonly clock: Clock };

/** A run and the month from which its units were reserved. */
export type Reservation = {
  readonly organizationId: string;
  readonly period: Period;
  readonly runId: string;
};

/** The unit of an execution, and the principal that reserved it. */
export type UsedUnit = Reservation & { readonly executionId: string; readonly by: Principal };

/** Spends the unit of a claimed execution. Idempotent per execution. */
export const markReservationUsed = (
  deps: UsageDeps,
  context: CommandContext,
  reservation: Reservation & { readonly executionId: string },
): Promise<Receipt> => {
  const { runId, executionId } = reservation;
  return execute(deps, context, reservation, { type: "use", runId, executionId });
};

/** Releases the unit of an execution that ended unclaimed. Records nothing if it was used or released before. */
export const releaseReservation = (
  deps: UsageDeps,
  context: CommandContext,
  reservation: Reservation & { readonly executionId: string; readonly reason: string },
): Promise<Receipt> => {
  const { runId, executionId, reason } = reservation;
  return execute(deps, context, reservation, { type: "release", runId, executionId, reason });
};

/** Gives back the used unit of an execution. Records nothing if it was never used or given back before. */
export const refundUnit = (
  deps: UsageDeps,
  context: CommandContext,
  { runId, executionId, by, reason, ...of }: UsedUnit & { readonly reason: string },
): Promise<Receipt> =>
  execute(deps, context, { ...of, runId }, { type: "refund", runId, executionId, by, reason });

/**
 * Releases the whole reservation of a run that was never queued, and abandons the run so that a late append cannot
 * queue it. The watchdog calls it RELEASE_AFTER_MS after the reservation. Does nothing if the run was queued.
 */
export const releaseUnqueued = async (
  deps: UsageDeps,
  context: CommandContext,
  reservation: Reservation,
): Promise<Receipt> => {
  const { runId } = reservation;
  const abandon = { type: "abandon", runId } as const;
  const { state: run } = await deps.loop.execute(runDecider, runId, abandon, context);
  if (run.status !== "abandoned") return nothingRecorded;
  const reason = "The run was not queued.";
  return execute(deps, context, reservation, { type: "release", runId, executionId: null, reason });
};

const execute = async (
  { loop }: UsageDeps,
  context: CommandContext,
  { organizationId, period }: Reservation,
  command: UsageCommand,
): Promise<Receipt> =>
  receiptOf(await loop.execute(usageDecider, usageId(organizationId, period), command, context));
