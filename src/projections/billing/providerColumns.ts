import { z } from "zod";
import { intervals } from "../../domain/billing/calendar.ts";
import { planCodes } from "../../domain/billing/catalog.ts";
import { entriesOf, persistentMap } from "../../domain/billing/persistentMap.ts";
import type { CurrentPlan } from "../../domain/billing/planState.ts";
import {
  keyOfEvent,
  providerNames,
  type Standing,
  type Subscription,
} from "../../domain/billing/subscription.ts";
import { assertNever } from "../../domain/kernel/errors.ts";

const subscriptionShape = z.strictObject({
  id: z.string(),
  provider: z.enum(providerNames),
  /** Each with the time and id of the provider's event that reported it. */
  terms: z
    .strictObject({
      plan: z.enum(planCodes),
      interval: z.enum(intervals).nullable(),
      at: z.string(),
      event_id: z.string(),
    })
    .nullable(),
  period: z
    .strictObject({ start: z.string(), end: z.string(), at: z.string(), event_id: z.string() })
    .nullable(),
  standing: z.enum(["active", "cancelled", "revoked"]),
  /** When the standing changed. Null while active. */
  standing_at: z.string().nullable(),
  /** Set by some cancellations. */
  ends_at: z.string().nullable(),
});

/**
 * What payment providers reported about a plan: JSON columns of `organization_plans`, in the order of the state's
 * maps. The mapping to and from the decider's state is explicit, as in planColumns.ts.
 */
export const providerColumns = z.strictObject({
  subscriptions: z.array(subscriptionShape),
  /** Events that an operator has to look at. */
  attention: z.array(
    z.strictObject({
      provider: z.enum(providerNames),
      provider_event_id: z.string(),
      reason: z.string(),
    }),
  ),
  /** Events for which attention was ever raised: "<provider> <event id>". */
  attended: z.array(z.string()),
});
export type ProviderColumns = z.output<typeof providerColumns>;

type ProviderState = Pick<CurrentPlan, "subscriptions" | "attention" | "attended">;

export const columnsOfProviders = (state: ProviderState): ProviderColumns => ({
  subscriptions: [...state.subscriptions.values()].map(columnsOfSubscription),
  attention: [...state.attention.values()].map(({ provider, providerEventId, reason }) => ({
    provider,
    provider_event_id: providerEventId,
    reason,
  })),
  attended: [...entriesOf(state.attended)].map(([key]) => key),
});

/** Throws ZodError if a column has another shape. */
export const providersOfColumns = (columns: ProviderColumns): ProviderState => {
  const { subscriptions, attention, attended } = providerColumns.parse({
    subscriptions: columns.subscriptions,
    attention: columns.attention,
    attended: columns.attended,
  });
  return {
    subscriptions: new Map(subscriptions.map((one) => [one.id, subscriptionOfColumns(one)])),
    attention: new Map(
      attention.map(({ provider, provider_event_id: providerEventId, reason }) => [
        keyOfEvent(provider, providerEventId),
        { provider, providerEventId, reason },
      ]),
    ),
    attended: persistentMap(attended.map((key) => [key, true])),
  };
};

type SubscriptionColumns = z.output<typeof subscriptionShape>;

const columnsOfSubscription = (subscription: Subscription): SubscriptionColumns => {
  const { id, provider, terms, period, standing } = subscription;
  return {
    id,
    provider,
    terms: terms && {
      plan: terms.value.plan,
      interval: terms.value.interval,
      at: terms.at,
      event_id: terms.eventId,
    },
    period: period && {
      start: period.value.start,
      end: period.value.end,
      at: period.at,
      event_id: period.eventId,
    },
    standing: standing.kind,
    standing_at: standing.kind === "active" ? null : standing.at,
    ends_at: standing.kind === "cancelled" ? standing.endsAt : null,
  };
};

const subscriptionOfColumns = (columns: SubscriptionColumns): Subscription => {
  const { id, provider, terms, period } = columns;
  return {
    id,
    provider,
    terms: terms && {
      value: { plan: terms.plan, interval: terms.interval },
      at: terms.at,
      eventId: terms.event_id,
    },
    period: period && {
      value: { start: period.start, end: period.end },
      at: period.at,
      eventId: period.event_id,
    },
    standing: standingOf(columns),
  };
};

const standingOf = ({ standing, standing_at, ends_at }: SubscriptionColumns): Standing => {
  const at = standing_at ?? "";
  switch (standing) {
    case "active":
      return { kind: "active" };
    case "cancelled":
      return { kind: "cancelled", endsAt: ends_at, at };
    case "revoked":
      return { kind: "revoked", at };
    default:
      return assertNever(standing);
  }
};
