import { catalog } from "../../domain/billing/catalog.ts";
import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { type OrganizationPlan, planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { minuteOf, type Period, periodOf, resetOf, usageId } from "../../domain/usage/period.ts";
import { principalKey } from "../../domain/usage/spender.ts";
import {
  type RefusalReceipt,
  refusalOf,
  type UsageCommand,
  usageDecider,
} from "../../domain/usage/usage.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { createLru } from "../kernel/lru.ts";
import { nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";

/** A run's place in the quota: whose month it was reserved from. */
export type Reservation = {
  readonly organizationId: string;
  readonly period: Period;
  readonly runId: string;
};

export type UsageCommands = ReturnType<typeof usageCommands>;

/** Reserving, using and giving back the monthly quota. */
export const usageCommands = (deps: { loop: CommandLoop; clock: Clock }) => {
  const { loop, clock } = deps;
  /** Refusals that added no receipt of their own, by principal: they are counted in the next one. */
  const unrecorded = createLru<string, number>(10_000);

  return {
    /**
     * Reserves the units of a whole request, all or nothing, from the current month.
     * Throws `run.quotaExceeded` (429) when it does not fit; the refusal is recorded all the same, and
     * `details` names its receipt, with the header that leads to it.
     */
    reserveRuns: async (
      context: CommandContext,
      organizationId: string,
      runs: readonly { readonly runId: string; readonly units: number }[],
    ): Promise<{ period: Period; receipt: Receipt }> => {
      const now = clock().toISOString();
      const period = periodOf(now);
      const { state } = await loop.load(planDecider, organizationId);
      const inForce = planInForce(state satisfies OrganizationPlan);
      const principal = principalKey(context.actor);
      const command: Extract<UsageCommand, { type: "reserve" }> = {
        type: "reserve",
        runs,
        by: context.actor,
        limit: catalog[inForce.plan].monthlyRuns,
        planEventId: inForce.setBy,
        refusal: {
          refusalId: newId(),
          minute: minuteOf(now),
          resetsAt: resetOf(period),
          count: 1 + (unrecorded.get(principal) ?? 0),
        },
      };
      const executed = await loop.execute(
        usageDecider,
        usageId(organizationId, period),
        command,
        context,
      );
      const refused = refusalOf(command, executed);
      if (refused) {
        const recorded = executed.events.length > 0;
        unrecorded.set(principal, recorded ? 0 : (unrecorded.get(principal) ?? 0) + 1);
        const { reason } = limitOf(inForce.plan, "monthly_runs");
        throw quotaExceeded(refused, reason ?? "", receiptOf(executed));
      }
      return { period, receipt: receiptOf(executed) };
    },

    /** Notes that an execution was claimed: its unit is spent. Once per execution, however often it is said. */
    markReservationUsed: async (
      context: CommandContext,
      of: Reservation & { readonly executionId: string },
    ): Promise<Receipt> => {
      const { runId, executionId } = of;
      return receiptOf(
        await loop.execute(
          usageDecider,
          usageId(of.organizationId, of.period),
          { type: "use", runId, executionId },
          context,
        ),
      );
    },

    /** Gives back the unit of an execution that ended without ever being claimed. Nothing if it was used or given back before. */
    releaseReservation: async (
      context: CommandContext,
      of: Reservation & { readonly executionId: string; readonly reason: string },
    ): Promise<Receipt> => {
      const { runId, executionId, reason } = of;
      return receiptOf(
        await loop.execute(
          usageDecider,
          usageId(of.organizationId, of.period),
          { type: "release", runId, executionId, reason },
          context,
        ),
      );
    },

    /**
     * Gives back all of a run's reservation when the run was never queued, and sees to it that it never will
     * be: an append of it that is still on its way comes too late. For the watchdog, once the reservation is
     * older than RELEASE_AFTER_MS; does nothing when the log has the run after all.
     */
    releaseUnqueued: async (context: CommandContext, of: Reservation): Promise<Receipt> => {
      const { runId } = of;
      const { state: run } = await loop.execute(
        runDecider,
        runId,
        { type: "abandon", runId },
        context,
      );
      if (run.status !== "abandoned") return nothingRecorded;
      return receiptOf(
        await loop.execute(
          usageDecider,
          usageId(of.organizationId, of.period),
          {
            type: "release",
            runId: of.runId,
            executionId: null,
            reason: "The run was not queued.",
          },
          context,
        ),
      );
    },
  };
};

/** The part of a request that was not queued this long after it was reserved is released (domain.md, "Queueing"). */
export const RELEASE_AFTER_MS = 60_000;

const quotaExceeded = (
  refused: RefusalReceipt,
  allowance: string,
  receipt: Receipt,
): DomainError => {
  const { requested, used, reserved, limit, resetsAt } = refused;
  const tests = requested === 1 ? "1 test" : `${requested} tests`;
  return new DomainError(
    "run.quotaExceeded",
    `The monthly quota of ${limit} tests in cloud runs does not hold ${tests} more: ` +
      `${used} used, ${reserved} reserved, ${Math.max(0, limit - used - reserved)} left until ` +
      `${resetsAt}. Run fewer tests, wait for the reset, or move to a larger plan. ${allowance}`,
    {
      refusalId: refused.refusalId,
      link: `</api/v1/usage/refusals/${refused.refusalId}>; rel="describedby"`,
      receipt,
    },
  );
};
