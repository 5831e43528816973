import { getValue } from "../../domain/billing/persistentMap.ts";
import type { PlanCommand } from "../../domain/billing/plan.ts";
import type { EventIds } from "../../domain/billing/planEvents.ts";
import { currentPlan } from "../../domain/billing/planState.ts";
import type { Terms } from "../../domain/billing/proration.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { idFor } from "../kernel/context.ts";
import { receiptOf } from "../kernel/receipt.ts";
import { type Collected, collectPayment, mustBeForSale } from "./payments.ts";
import { type BillingDeps, type Changed, executePlan, loadPlan, nowOf } from "./planCommands.ts";

/** A change request of an organisation. */
export type ChangeKey = { readonly organizationId: string; readonly changeId: string };

/**
 * Requests another plan. The change states its cost and when it would take effect.
 * Throws DomainError `plan.changeOpen`, `plan.alreadyInForce`.
 */
export const requestChange = (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, to }: { readonly organizationId: string; readonly to: Terms },
): Promise<Changed> => {
  const changeId = idFor(context, "plan change");
  const command = { type: "requestChange", changeId, to, at: nowOf(deps) } as const;
  return execute(deps, context, organizationId, command);
};

/**
 * Moves a request to its next state: applied, scheduled, or awaiting payment with a checkout page.
 * Throws DomainError as `mustBeForSale` and `collectPayment` do.
 */
export const confirmChange = async (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changeId }: ChangeKey,
): Promise<Collected> => {
  const change = getValue((await loadPlan(deps, organizationId)).changes, changeId);
  if (change?.status === "created" && change.dueCents > 0) mustBeForSale(deps.payment, change.to);
  const ids = idsFor(context, changeId, "confirmed");
  const payment = deps.payment.provider;
  const command = { type: "confirmChange", changeId, payment, at: nowOf(deps), ids } as const;
  const confirmed = await execute(deps, context, organizationId, command, ids);
  return collectPayment(deps, context, { organizationId, changed: confirmed });
};

/** Schedules a change for the end of the paid period. Throws DomainError `plan.nothingToWaitFor`. */
export const scheduleChange = (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changeId }: ChangeKey,
): Promise<Changed> =>
  execute(deps, context, organizationId, { type: "scheduleChange", changeId, at: nowOf(deps) });

/** Throws DomainError `plan.waitingForPayment`, `plan.notDue`, `plan.changeFinished`. */
export const applyChange = (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changeId }: ChangeKey,
): Promise<Changed> => {
  const ids = idsFor(context, changeId, "applied");
  const payment = deps.payment.provider;
  const command = { type: "applyChange", changeId, payment, at: nowOf(deps), ids } as const;
  return execute(deps, context, organizationId, command, ids);
};

export const cancelChange = (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changeId }: ChangeKey,
): Promise<Changed> => execute(deps, context, organizationId, { type: "cancelChange", changeId });

/** An operator settles a stuck request. Throws DomainError `plan.changeUnknown`, `plan.changeFinished`. */
export const settleChange = (
  deps: BillingDeps,
  context: CommandContext,
  input: ChangeKey & {
    readonly outcome: "applied" | "failed" | "cancelled";
    readonly reason: string;
  },
): Promise<Changed> => {
  const { organizationId, changeId, outcome, reason } = input;
  const ids = idsFor(context, changeId, "settled");
  const settled = { changeId, outcome, reason, at: nowOf(deps), ids };
  return execute(deps, context, organizationId, { type: "settleChange", ...settled }, ids);
};

const execute = async (
  deps: BillingDeps,
  context: CommandContext,
  organizationId: string,
  command: PlanCommand & { readonly changeId: string },
  ids?: EventIds,
): Promise<Changed> => {
  const executed = await executePlan(deps, context, organizationId, command, ids);
  const change = getValue(currentPlan(executed.state).changes, command.changeId);
  if (!change) throw new DomainError("plan.changeUnknown", "There is no such plan change.");
  return { change, receipt: receiptOf(executed) };
};

const idsFor = (context: CommandContext, changeId: string, purpose: string): EventIds => [
  idFor(context, `plan change ${changeId} ${purpose} 0`),
  idFor(context, `plan change ${changeId} ${purpose} 1`),
];
