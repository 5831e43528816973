import { type BillingPeriod, periodAt } from "../../../domain/billing/calendar.ts";
import { getValue } from "../../../domain/billing/persistentMap.ts";
import { periodAfter } from "../../../domain/billing/planChanges.ts";
import { type CurrentPlan, isOpen } from "../../../domain/billing/planState.ts";
import type { Terms } from "../../../domain/billing/proration.ts";
import type { EventContent, ProviderEvent } from "../../../domain/billing/providerEvents.ts";
import { endsAt } from "../../../domain/billing/subscription.ts";
import type { WebhookOutcome } from "../../../domain/billing/webhook.ts";
import {
  type FactDeps,
  raiseAttention,
  refuse,
  type Target,
  takeFact,
  termsOf,
  UNKNOWN_PRICES,
} from "./takeFact.ts";

type Purchase = Extract<EventContent, { kind: "bought" }>;

/** Applies a first payment or a renewal. A payment without a matching change or price raises attention. */
export const applyPurchase = async (
  deps: FactDeps,
  target: Target,
  purchase: Purchase,
  current: CurrentPlan,
): Promise<WebhookOutcome> => {
  const { event } = target;
  const { changeId } = event;
  const change = changeId === null ? undefined : getValue(current.changes, changeId);
  const isKnown = current.subscriptions.has(event.subscriptionId ?? "");
  const paysChange = change !== undefined && !purchase.isRenewal;
  if (paysChange && !isOpen(change)) {
    const isApplied = change.status === "applied";
    if (!isApplied || !isKnown) {
      const status = isApplied ? "has already been applied" : `is ${change.status}`;
      return refuse(deps, target, `The payment is for a plan change that ${status}.`);
    }
  }
  const terms = paysChange ? change.to : termsOf(deps.prices, purchase.prices);
  if (terms === null && (purchase.period === null || !isKnown)) {
    return refuse(deps, target, UNKNOWN_PRICES);
  }
  const period = purchase.period ?? (terms === null ? null : paidPeriod(event, terms, current));
  const fact = { terms, period, standing: { kind: "active" } } as const;
  const { outcome, current: after } = await takeFact(deps, target, { fact, changeId });
  if (purchase.isRenewal && after && isUselessRenewal(event, purchase, after)) {
    const reason = "A renewal was paid after the organisation changed to Free.";
    await raiseAttention(deps, target, reason);
  }
  return outcome;
};

/** Whether a renewal pays for a time in which its subscription gives no plan, and was not refunded. */
const isUselessRenewal = (
  { subscriptionId }: ProviderEvent,
  { period }: Purchase,
  { own, subscriptions }: CurrentPlan,
): boolean => {
  const subscription = subscriptions.get(subscriptionId ?? "");
  if (!subscription || subscription.standing.kind === "revoked") return false;
  const ends = endsAt(subscription);
  return own.terms.plan === "free" && (ends === null || (period !== null && period.end > ends));
};

/** The period of a payment whose event names none. A payment to provider B may be for the rest of a period. */
const paidPeriod = (
  { provider, occurredAt }: ProviderEvent,
  terms: Terms,
  current: CurrentPlan,
): BillingPeriod | null => {
  if (provider === "provider-b") return periodAfter(current, terms, occurredAt);
  return terms.interval === null ? null : periodAt(occurredAt, terms.interval, occurredAt);
};
