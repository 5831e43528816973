import type { PlanCode } from "../../domain/billing/catalog.ts";
import { getValue } from "../../domain/billing/persistentMap.ts";
import type { EventIds } from "../../domain/billing/planEvents.ts";
import { keyOfEvent, providerNames } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId, newId } from "../../platform/ids.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { idFor } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import { type BillingDeps, executePlan, loadPlan, nowOf } from "./planCommands.ts";

/** The maximum number of due events recorded per tick. */
const DUE_PER_TICK = 16;

/** Starts the free plan of a new organisation. Idempotent. */
export const startPlan = async (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId }: { readonly organizationId: string },
): Promise<Receipt> => {
  const changeId = derivedId(organizationId, "plan started");
  const command = { type: "start", changeId } as const;
  return receiptOf(await executePlan(deps, context, organizationId, command, [changeId]));
};

/** An operator grants a plan until `until`, or without end. Idempotent. */
export const grantPlan = async (
  deps: BillingDeps,
  context: CommandContext,
  input: {
    readonly organizationId: string;
    readonly plan: PlanCode;
    readonly until?: string | null;
    readonly reason: string;
  },
): Promise<Receipt> => {
  const changeId = idFor(context, "plan granted");
  const { organizationId, plan, until = null, reason } = input;
  const command = { type: "grant", changeId, plan, until, reason } as const;
  return receiptOf(await executePlan(deps, context, organizationId, command, [changeId]));
};

/** Withdraws a scheduled change and a cancellation. Records nothing if there is neither. */
export const withdrawScheduled = async (
  deps: BillingDeps,
  context: CommandContext,
  organizationId: string,
): Promise<Receipt> =>
  receiptOf(await executePlan(deps, context, organizationId, { type: "withdrawScheduled" }));

/** Records what is due now. Idempotent. */
export const passTime = async (
  deps: BillingDeps,
  context: CommandContext,
  organizationId: string,
): Promise<Receipt> => {
  const ids = Array.from({ length: DUE_PER_TICK }, newId) as unknown as EventIds;
  const command = { type: "passTime", at: nowOf(deps), ids } as const;
  return receiptOf(await executePlan(deps, context, organizationId, command, ids));
};

/** Records how an operator handled an event that needed attention. Throws DomainError `plan.attentionUnknown`. */
export const settleAttention = async (
  deps: BillingDeps,
  context: CommandContext,
  input: {
    readonly organizationId: string;
    readonly providerEventId: string;
    readonly outcome: string;
    readonly reason: string;
  },
): Promise<Receipt> => {
  const { organizationId, ...settled } = input;
  const { attended } = await loadPlan(deps, organizationId);
  const isRaised = providerNames.some((provider) =>
    getValue(attended, keyOfEvent(provider, settled.providerEventId)),
  );
  if (!isRaised) {
    throw new DomainError(
      "plan.attentionUnknown",
      "No such provider event needed attention in this organisation.",
    );
  }
  const command = { type: "settleAttention", ...settled } as const;
  return receiptOf(await executePlan(deps, context, organizationId, command));
};
