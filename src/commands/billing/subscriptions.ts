import type { CurrentPlan } from "../../domain/billing/planState.ts";
import type { Subscription } from "../../domain/billing/subscription.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import { derivedId } from "../../platform/ids.ts";
import { PaymentError } from "../../platform/payments/port.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { nothingRecorded, type Receipt, receiptOf } from "../kernel/receipt.ts";
import {
  isSubscription,
  PAYMENT_IDS,
  providerApi,
  providerUnavailable,
} from "./paymentProviders.ts";
import { type BillingDeps, executePlan, loadPlan, nowOf } from "./planCommands.ts";

/**
 * Ends every active subscription immediately, because the organisation is deleted. Idempotent.
 * Throws DomainError `payment.away`, `payment.notSetUp`, `payment.refused`.
 */
export const cancelSubscription = async (
  deps: BillingDeps,
  context: CommandContext,
  organizationId: string,
): Promise<Receipt> => {
  let receipt = nothingRecorded;
  for (const subscription of activeSubscriptions(await loadPlan(deps, organizationId))) {
    try {
      receipt = await endSubscription(deps, context, organizationId, subscription);
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      if (error.kind === "away") throw providerUnavailable(error);
      throw new DomainError("payment.refused", error.message);
    }
  }
  return receipt;
};

/** The subscriptions for which a provider continues to collect payments. */
export const activeSubscriptions = ({ subscriptions }: CurrentPlan): readonly Subscription[] =>
  [...subscriptions.values()].filter(
    ({ id, standing }) => standing.kind === "active" && isSubscription(id),
  );

/** Ends a subscription immediately and records its end. Rejects with PaymentError. */
export const endSubscription = async (
  deps: BillingDeps,
  context: CommandContext,
  organizationId: string,
  { id, provider }: Subscription,
): Promise<Receipt> => {
  await providerApi(deps.payment, provider).cancelSubscription(id, "now");
  const at = nowOf(deps);
  const executed = await executePlan(deps, context, organizationId, {
    type: "takeFact",
    fact: {
      provider,
      eventId: `cancelled_${id}`,
      occurredAt: at,
      subscriptionId: id,
      terms: null,
      period: null,
      standing: { kind: "cancelled", endsAt: at, at },
    },
    changeId: null,
    adjustment: null,
    at,
    ids: [derivedId(PAYMENT_IDS, `${id} cancelled`)],
  });
  return receiptOf(executed);
};
