import { catalog } from "../../domain/billing/catalog.ts";
import { limitOf } from "../../domain/billing/entitlements.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { planInForce } from "../../domain/billing/planState.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { minuteOf, type Period, periodOf, resetOf, usageId } from "../../domain/usage/period.ts";
import { principalKey } from "../../domain/usage/spender.ts";
import {
  type RefusalReceipt,
  refusalOf,
  type UsageCommand,
  usageDecider,
} from "../../domain/usage/usage.ts";
import { newId } from "../../platform/ids.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import type { Lru } from "../kernel/lru.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { UsageDeps } from "./reservations.ts";

/** By principal: the refusals since the last recorded one, which the next recorded refusal counts. */
export type UnrecordedRefusals = Lru<string, number>;

/**
 * Reserves the units of a request from the current month, all or nothing. Throws DomainError `run.quotaExceeded` if
 * they do not fit; `details` contain the id of the recorded refusal and its `Link` header.
 */
export const reserveRuns = async (
  { loop, clock }: UsageDeps,
  unrecorded: UnrecordedRefusals,
  context: CommandContext,
  input: {
    readonly organizationId: string;
    readonly runs: readonly { readonly runId: string; readonly units: number }[];
  },
): Promise<{ period: Period; receipt: Receipt }> => {
  const { organizationId, runs } = input;
  const now = clock().toISOString();
  const period = periodOf(now);
  const { state } = await loop.load(planDecider, organizationId);
  const inForce = planInForce(state);
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
  const stream = usageId(organizationId, period);
  const executed = await loop.execute(usageDecider, stream, command, context);
  const receipt = receiptOf(executed);
  const refused = refusalOf(command, executed);
  if (!refused) return { period, receipt };
  const isRecorded = executed.events.length > 0;
  unrecorded.set(principal, isRecorded ? 0 : (unrecorded.get(principal) ?? 0) + 1);
  const { reason } = limitOf(inForce.plan, "monthly_runs");
  throw quotaExceeded(refused, reason ?? "", receipt);
};

const quotaExceeded = (
  refused: RefusalReceipt,
  allowance: string,
  receipt: Receipt,
): DomainError => {
  const { requested, used, reserved, limit, resetsAt } = refused;
  const tests = requested === 1 ? "1 test" : `${requested} tests`;
  return new DomainError(
    "run.quotaExceeded",
    `The monthly quota of ${limit} tests in cloud runs does not allow ${tests} more: ` +
      `${used} used, ${reserved} reserved, ${Math.max(0, limit - used - reserved)} left until ` +
      `${resetsAt}. Run fewer tests, wait for the reset, or move to a larger plan. ${allowance}`,
    {
      refusalId: refused.refusalId,
      link: `</api/v1/usage/refusals/${refused.refusalId}>; rel="describedby"`,
      receipt,
    },
  );
};
