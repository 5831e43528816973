import { z } from "zod";
import type { EventOf } from "../kernel/events.ts";
import { intervals } from "./calendar.ts";
import { planCodes } from "./catalog.ts";
import { providerNames, type SubscriptionFact } from "./subscription.ts";

/** The event's own id in the log, so that a receipt can name the event that set the plan. */
const setBy = z.uuid();
const changeId = z.uuid();
/** The format in which events store a time. A pattern is cheaper than `z.iso.datetime` when a million are read. */
const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const terms = z.object({ plan: z.enum(planCodes), interval: z.enum(intervals).nullable() });
const period = z.object({ start: instant, end: instant });
const provider = z.enum(providerNames);

/** The part of a provider's event that plans depend on: enough to merge facts in any order. */
const fact = z.object({
  /** SHA-256 of the event's raw body. Absent if the fact was a response to a call, and in older events. */
  bodySha256: z.string().optional(),
  provider,
  eventId: z.string(),
  occurredAt: instant,
  subscriptionId: z.string(),
  terms: terms.nullable(),
  period: period.nullable(),
  standing: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("active") }),
    z.object({ kind: z.literal("cancelled"), endsAt: instant.nullable(), at: instant }),
    z.object({ kind: z.literal("revoked"), at: instant }),
  ]),
});

export const planSchemas = {
  PlanStarted: z.object({ changeId, plan: z.literal("free") }),
  /** An operator granted a plan. `until` null: without end. `changeId` is the event's own id. */
  PlanGranted: z.object({
    changeId,
    plan: z.enum(planCodes),
    reason: z.string(),
    until: instant.nullable().default(null),
  }),
  PlanChangeCreated: z.object({
    changeId,
    from: terms,
    to: terms,
    /** Immediately, or at the end of the paid period. */
    timing: z.enum(["now", "period_end"]),
    dueCents: z.int().nonnegative(),
    /** The amounts that add up to `dueCents`, as shown to the caller. */
    lines: z.array(z.object({ what: z.enum(["credit", "charge"]), cents: z.int() })),
    effectiveAt: instant,
    expiresAt: instant,
  }),
  PlanChangeConfirmed: z.object({ changeId }),
  PlanChangeAwaitingPayment: z.object({ changeId, provider, checkoutId: z.string() }),
  /** The checkout page accepts no payment any more. `paid`: the payment was made before the page could be closed. */
  PlanCheckoutClosed: z.object({
    changeId,
    provider,
    checkoutId: z.string(),
    outcome: z.enum(["closed", "paid"]),
  }),
  PlanChangeScheduled: z.object({ changeId, to: terms, effectiveAt: instant }),
  /** A plan took effect. `changeId` null: the provider changed the subscription, or a grant ended. */
  PlanChangeApplied: z.object({
    setBy,
    changeId: changeId.nullable(),
    to: terms,
    period: period.nullable(),
    /** The provider's subscription that pays for the plan, if any. */
    subscriptionId: z.string().nullable(),
    fact: fact.nullable(),
    /** Whether an operator's grant ends with this event. */
    endsGrant: z.boolean(),
    /** The operator's reason, if an operator settled the change. */
    reason: z.string().optional(),
  }),
  PlanChangeCancelled: z.object({ changeId, reason: z.string().optional() }),
  PlanChangeFailed: z.object({ changeId, reason: z.string() }),
  PlanChangeExpired: z.object({ changeId }),
  PlanRenewed: z.object({ period, fact: fact.nullable() }),
  PlanCancellationScheduled: z.object({ effectiveAt: instant, fact: fact.nullable() }),
  PlanCancellationWithdrawn: z.object({}),
  PlanDowngradedToFree: z.object({ setBy, reason: z.string(), endsGrant: z.boolean() }),
  /** A refund or chargeback of the subscription in force: the plan ends immediately. */
  PlanRevoked: z.object({ setBy, action: z.enum(["refund", "chargeback"]), fact }),
  /** A newer fact with known terms and period. Facts between the two no longer count. */
  SubscriptionConfirmed: z.object({ fact }),
  /** A refund or chargeback of a subscription that is not in force. */
  AdjustmentNoted: z.object({ action: z.string(), status: z.string(), fact }),
  PlanAttentionRaised: z.object({
    provider,
    providerEventId: z.string(),
    bodySha256: z.string().optional(),
    reason: z.string(),
  }),
  PlanAttentionSettled: z.object({
    providerEventId: z.string(),
    outcome: z.string(),
    reason: z.string(),
  }),
};

export type PlanEvent = EventOf<typeof planSchemas>;
export type ProviderFact = SubscriptionFact;

/** Log ids of the events that a command may record, in order. */
export type EventIds = readonly [string, ...string[]];
