import { getValue } from "../../domain/billing/persistentMap.ts";
import { requestedAt } from "../../domain/billing/planChanges.ts";
import { type ChangeRequest, type CurrentPlan, isOpen } from "../../domain/billing/planState.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import { PaymentError } from "../../platform/payments/port.ts";
import type { CommandContext } from "../kernel/commandLoop.ts";
import { isSubscription, priceIdOf, providerApi } from "./paymentProviders.ts";
import { type BillingDeps, executePlan, loadPlan } from "./planCommands.ts";
import { activeSubscriptions, endSubscription } from "./subscriptions.ts";

/** An event of a plan that its provider has to follow. */
type Followed = {
  readonly organizationId: string;
  readonly changeId: string | null;
  /** The event that set the plan, null if the event set none. */
  readonly setBy: string | null;
  /** Whether time alone caused the event. */
  readonly isDue: boolean;
};

type Following = {
  readonly deps: BillingDeps;
  readonly context: CommandContext;
  readonly organizationId: string;
  readonly current: CurrentPlan;
  readonly change: ChangeRequest;
};

/**
 * Brings the provider's subscription in line with a change, as far as the change is still current: schedules or
 * withdraws a cancellation, changes the price of a due change, ends subscriptions once Free is in force, and closes
 * the checkout page of a finished change. Idempotent. A provider's refusal raises attention. Rejects with
 * PaymentError while the provider is unavailable; throws DomainError `payment.notSetUp`, `payment.noPrice`.
 */
export const followPlan = async (
  deps: BillingDeps,
  context: CommandContext,
  { organizationId, changeId, setBy, isDue }: Followed,
): Promise<void> => {
  const current = await loadPlan(deps, organizationId);
  const change = changeId === null ? undefined : getValue(current.changes, changeId);
  if (!change) return;
  const following = { deps, context, organizationId, current, change };
  const isInForce = change.status === "applied" && current.own.setBy === setBy;
  if (!isOpen(change)) await closeCheckout(following);
  if (isInForce && change.to.plan === "free") await endSubscriptions(following);
  await adjustSubscription(following, isInForce && isDue);
};

/** Closes the checkout page of a finished change and records the outcome. */
const closeCheckout = async (following: Following): Promise<void> => {
  const { deps, context, organizationId, current, change } = following;
  const checkout = current.checkouts.get(change.id);
  const provider = checkout?.provider ?? deps.payment.provider;
  if (!checkout || provider === "dev" || isSubscription(checkout.checkoutId ?? "")) return;
  const { checkoutId } = checkout;
  const changeId = change.id;
  const askedAt = requestedAt(change);
  const failure = `The checkout page of the ${change.status} change to ${change.to.plan} could not be closed`;
  const subject = { provider, attentionId: `checkout_${changeId}`, failure };
  await callProvider(following, subject, async () => {
    const api = providerApi(deps.payment, provider);
    const closed = await api.closeCheckout({ changeId, checkoutId, askedAt });
    if (!closed) return;
    const data = { changeId, provider, checkoutId: closed.id, outcome: closed.outcome };
    await executePlan(deps, context, organizationId, { type: "closeCheckout", ...data });
  });
};

const endSubscriptions = async (following: Following): Promise<void> => {
  const { deps, context, organizationId, current, change } = following;
  for (const one of activeSubscriptions(current)) {
    const failure = `The subscription ${one.id} could not be ended with the plan`;
    const subject = { provider: one.provider, attentionId: `change_${change.id}`, failure };
    await callProvider(following, subject, async () => {
      await endSubscription(deps, context, organizationId, one);
    });
  }
};

/** Changes the subscription that pays for the plan. `isDue`: the change took effect by time. */
const adjustSubscription = async (following: Following, isDue: boolean): Promise<void> => {
  const { deps, current, change } = following;
  const paying = current.subscriptions.get(current.own.subscriptionId ?? "");
  if (paying?.standing.kind !== "active" || !isSubscription(paying.id)) return;
  const { id, provider } = paying;
  const toFree = change.to.plan === "free";
  const failure = `The subscription ${id} could not be changed with the plan`;
  const subject = { provider, attentionId: `change_${change.id}`, failure };
  await callProvider(following, subject, async () => {
    if (change.status === "scheduled" && toFree) {
      await providerApi(deps.payment, provider).cancelSubscription(id, "period_end");
    } else if (change.status === "cancelled" && toFree && current.open === null) {
      await providerApi(deps.payment, provider).resumeSubscription(id);
    } else if (isDue) {
      const api = providerApi(deps.payment, provider);
      const priceId = priceIdOf(deps.payment, provider, change.to);
      await api.changeSubscription({ subscriptionId: id, priceId, changeId: change.id });
    }
  });
};

/** Calls a provider. A refusal raises attention once per `attentionId`. Rejects with PaymentError while it is unavailable. */
const callProvider = async (
  { deps, context, organizationId }: Following,
  subject: {
    readonly provider: ProviderName;
    readonly attentionId: string;
    readonly failure: string;
  },
  call: () => Promise<void>,
): Promise<void> => {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof PaymentError) || error.kind === "away") throw error;
    const { provider, attentionId: providerEventId, failure } = subject;
    const reason = `${failure}: ${error.message}`;
    const command = { type: "raiseAttention", provider, providerEventId, reason } as const;
    await executePlan(deps, context, organizationId, command);
  }
};
