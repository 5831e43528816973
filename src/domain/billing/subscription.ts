import type { BillingPeriod } from "./calendar.ts";
import type { Terms } from "./proration.ts";

/** Payment providers that say what becomes of a plan. */
export const providerNames = ["provider-a", "provider-b"] as const;
export type ProviderName = (typeof providerNames)[number];

/** What a provider's event is kept under: both providers may have one of the same id. */
export const keyOfEvent = (provider: ProviderName, eventId: string): string =>
  `${provider} ${eventId}`;

/**
 * A subscription at a payment provider, as its events tell it. The provider guarantees no order and may
 * deliver an event twice or never, so what is kept are registers that merge: whichever order the facts come
 * in, the same facts give the same subscription.
 */
export type Subscription = {
  readonly id: string;
  readonly provider: ProviderName;
  readonly terms: Register<Terms> | null;
  readonly period: Register<BillingPeriod> | null;
  readonly standing: Standing;
};

/** The newest of several values; of two as new, the one of the larger event id. */
export type Register<Value> = {
  readonly value: Value;
  readonly at: string;
  readonly eventId: string;
};

/** How a subscription stands. It only ever gets worse: what is cancelled or refunded does not come back as the same subscription. */
export type Standing =
  | { readonly kind: "active" }
  | { readonly kind: "cancelled"; readonly endsAt: string | null; readonly at: string }
  | { readonly kind: "revoked"; readonly at: string };

/** What one event of a provider says about a subscription. Absent: it says nothing about that. */
export type SubscriptionFact = {
  readonly provider: ProviderName;
  readonly subscriptionId: string;
  readonly eventId: string;
  /** SHA-256 of its body as it came, where it came by itself. */
  readonly bodySha256?: string | undefined;
  readonly occurredAt: string;
  readonly terms: Terms | null;
  readonly period: BillingPeriod | null;
  readonly standing: Standing;
};

const RANK = { active: 0, cancelled: 1, revoked: 2 } as const;

/** Takes a fact into a subscription. Commutative, associative and idempotent. */
export const takeIn = (known: Subscription | undefined, fact: SubscriptionFact): Subscription => {
  const mark = { at: fact.occurredAt, eventId: fact.eventId };
  const told: Subscription = {
    id: fact.subscriptionId,
    provider: fact.provider,
    terms: fact.terms && { value: fact.terms, ...mark },
    period: fact.period && { value: fact.period, ...mark },
    standing: fact.standing,
  };
  if (!known) return told;
  return {
    id: known.id,
    provider: known.provider,
    terms: newest(known.terms, told.terms),
    period: newest(known.period, told.period),
    standing: worse(known.standing, told.standing),
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
  // The earlier of two cancellations, or of two refunds, is the one that counts.
  if (a.at !== b.at) return a.at < b.at ? a : b;
  if (a.kind === "cancelled" && b.kind === "cancelled") {
    return (a.endsAt ?? "~") <= (b.endsAt ?? "~") ? a : b;
  }
  return a;
};

/** Until when a subscription gives its plan; null as long as it goes on, or when nobody has said. */
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

/** The subscription that gives an organisation its plan at an instant: of those that do, the one whose terms are newest. */
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
