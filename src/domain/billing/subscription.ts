import type { BillingPeriod } from "./calendar.ts";
import type { Terms } from "./proration.ts";

/** Payment providers whose events change plans. */
export const providerNames = ["provider-a", "provider-b"] as const;
export type ProviderName = (typeof providerNames)[number];

/** The key of a provider's event. Both providers may use the same event id. */
export const keyOfEvent = (provider: ProviderName, eventId: string): string =>
  `${provider} ${eventId}`;

/**
 * A subscription at a payment provider. The provider guarantees no order and may deliver an event twice or never,
 * so the state consists of mergeable registers: the same facts give the same subscription in any order.
 */
export type Subscription = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly terms: Register<Terms> | null;
  readonly period: Register<BillingPeriod> | null;
  readonly standing: Standing;
};

/** A last-writer-wins register. The larger event id wins between equal times. */
export type Register<Value> = {
  readonly value: Value;
  readonly at: string;
  readonly eventId: string;
};

/** The standing of a subscription. It never improves: a cancelled or refunded subscription is not resumed under its id. */
export type Standing =
  | { readonly kind: "active" }
  | { readonly kind: "cancelled"; readonly endsAt: string | null; readonly at: string }
  | { readonly kind: "revoked"; readonly at: string };

/** What one provider's event reports about a subscription. Null fields were not reported. */
export type SubscriptionFact = {
  readonly provider: ProviderName;
  readonly subscriptionId: string;
  readonly eventId: string;
  /** SHA-256 of the event's raw body, if it was delivered as a webhook. */
  readonly bodySha256?: string | undefined;
  readonly occurredAt: string;
  readonly terms: Terms | null;
  readonly period: BillingPeriod | null;
  readonly standing: Standing;
};

const RANK = { active: 0, cancelled: 1, revoked: 2 } as const;

/** Merges a fact into a subscription. Commutative, associative and idempotent. */
export const mergeFact = (
  known: Subscription | undefined,
  fact: SubscriptionFact,
): Subscription => {
  const mark = { at: fact.occurredAt, eventId: fact.eventId };
  const reported: Subscription = {
    id: fact.subscriptionId,
    provider: fact.provider,
    terms: fact.terms && { value: fact.terms, ...mark },
    period: fact.period && { value: fact.period, ...mark },
    standing: fact.standing,
  };
  if (!known) return reported;
  return {
    id: known.id,
    provider: known.provider,
    terms: newest(known.terms, reported.terms),
    period: newest(known.period, reported.period),
    standing: worse(known.standing, reported.standing),
  };
};

const newest = <Value>(
  a: Register<Value> | null,
  b: Register<Value> | null,
): Register<Value> | null => {
  if (!a || !b) return a ?? b;
  if (a.at !== b.at) return a.at > b.at ? a : b;
  return a.eventId >= b.eventId ? a : b;
};

const worse = (a: Standing, b: Standing): Standing => {
  if (RANK[a.kind] !== RANK[b.kind]) return RANK[a.kind] > RANK[b.kind] ? a : b;
  if (a.kind === "active" || b.kind === "active") return a;
  // The earlier of two cancellations, or of two refunds, counts.
  if (a.at !== b.at) return a.at < b.at ? a : b;
  if (a.kind === "cancelled" && b.kind === "cancelled") {
    return (a.endsAt ?? "~") <= (b.endsAt ?? "~") ? a : b;
  }
  return a;
};

/** When a subscription ends, null while it is active. */
export const endsAt = (subscription: Subscription): string | null => {
  const { standing, period } = subscription;
  switch (standing.kind) {
    case "active":
      return null;
    case "cancelled":
      return standing.endsAt ?? period?.value.end ?? standing.at;
    case "revoked":
      return standing.at;
  }
};

/** The subscription in force at an instant: of those that have not ended, the one with the newest terms. */
export const inForceAt = (
  subscriptions: Iterable<Subscription>,
  at: string,
): (Subscription & { readonly terms: Register<Terms> }) | null => {
  let found: (Subscription & { readonly terms: Register<Terms> }) | null = null;
  for (const subscription of subscriptions) {
    const { terms } = subscription;
    const end = endsAt(subscription);
    if (!terms || subscription.standing.kind === "revoked") continue;
    if (end !== null && end <= at) continue;
    const isNewer =
      !found ||
      terms.at > found.terms.at ||
      (terms.at === found.terms.at && subscription.id > found.id);
    if (isNewer) found = { ...subscription, terms };
  }
  return found;
};
