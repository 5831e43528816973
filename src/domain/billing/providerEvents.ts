import { z } from "zod";
import type { BillingPeriod } from "./calendar.ts";
import type { ProviderName } from "./subscription.ts";

/** An event of a payment provider, translated into terms of this domain. */
export type ProviderEvent = ParsedEvent & {
  /** SHA-256 of the raw body. */
  readonly bodySha256: string;
};

/** The part of a provider's event that is read from its JSON. */
type ParsedEvent = {
  readonly provider: ProviderName;
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  /** The provider's id of the subscription or single payment concerned. */
  readonly subscriptionId: string | null;
  /** The change request named in the event's custom data. */
  readonly changeId: string | null;
  readonly content: EventContent;
};

export type EventContent =
  | {
      readonly kind: "bought";
      readonly prices: readonly string[];
      readonly period: BillingPeriod | null;
      /** A payment for an existing subscription. */
      readonly isRenewal: boolean;
    }
  | {
      readonly kind: "changed";
      readonly prices: readonly string[];
      readonly period: BillingPeriod | null;
    }
  | { readonly kind: "cancelled"; readonly endsAt: string | null }
  | {
      readonly kind: "adjusted";
      readonly action: "refund" | "chargeback";
      readonly status: string;
    }
  /** A refund or chargeback was rejected. */
  | { readonly kind: "notAdjusted"; readonly action: "refund" | "chargeback" }
  | { readonly kind: "nothing"; readonly reason: string };

/** Restricted to characters that are valid in a stream name. */
const eventId = z.string().regex(/^[\w-]{1,120}$/);

/** Truncates the providers' microseconds or nanoseconds to milliseconds. */
const instant = z
  .string()
  .max(40)
  .refine((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString())
  // The UTC offset may move it outside of the years 1-9999, which events and PostgreSQL require.
  .refine((text) => /^\d{4}-/.test(text) && text >= "0001");

/** Excludes NUL and lone surrogates, which PostgreSQL rejects. */
const name = z
  .string()
  .max(200)
  .refine((text) => !/[\0\p{Surrogate}]/u.test(text));
const custom = z
  .object({ plan_change_request_id: z.uuid().toLowerCase().nullish().catch(null) })
  .nullish()
  .catch(null);

const aEnvelope = z.object({
  event_id: eventId,
  event_type: name,
  occurred_at: instant,
  data: z.record(z.string(), z.unknown()),
});

const aPeriod = z.object({ starts_at: instant, ends_at: instant }).nullish();
const aItems = z
  .array(z.object({ price: z.object({ id: name }).nullish() }))
  .nullish()
  .transform((items) => (items ?? []).flatMap(({ price }) => (price ? [price.id] : [])));

const aTransaction = z.object({
  id: name,
  subscription_id: name.nullish(),
  custom_data: custom,
  items: aItems,
  billing_period: aPeriod,
  origin: name.nullish(),
});
const aSubscription = z.object({
  id: name,
  status: name.nullish(),
  custom_data: custom,
  items: aItems,
  current_billing_period: aPeriod,
});
const aAdjustment = z.object({
  action: name,
  status: name.nullish(),
  transaction_id: name.nullish(),
  subscription_id: name.nullish(),
});

type EventData = Pick<ProviderEvent, "subscriptionId" | "changeId" | "content">;

/** Parses an event of provider A. Returns null if it lacks an id, type or time and so cannot be recorded. */
export const readProviderA = (body: unknown): ParsedEvent | null => {
  const envelope = aEnvelope.safeParse(body);
  if (!envelope.success) return null;
  const { event_id, event_type, occurred_at, data } = envelope.data;
  const envelopeFields = {
    provider: "provider-a",
    eventId: event_id,
    type: event_type,
    occurredAt: occurred_at,
  } as const;
  return { ...envelopeFields, ...dataOfA(event_type, data) };
};

const dataOfA = (type: string, data: unknown): EventData => {
  switch (type) {
    case "transaction.completed":
      return parse(aTransaction.safeParse(data), (transaction) => ({
        subscriptionId: transaction.subscription_id ?? transaction.id,
        changeId: transaction.custom_data?.plan_change_request_id ?? null,
        content: {
          kind: "bought",
          prices: transaction.items,
          period: periodOf(transaction.billing_period),
          isRenewal: transaction.origin?.startsWith("subscription_") ?? false,
        },
      }));
    case "subscription.updated":
    case "subscription.canceled":
      return parse(aSubscription.safeParse(data), (subscription) => ({
        subscriptionId: subscription.id,
        changeId: subscription.custom_data?.plan_change_request_id ?? null,
        content: subscriptionContent(type, subscription),
      }));
    case "adjustment.created":
    case "adjustment.updated":
      return parse(aAdjustment.safeParse(data), (adjustment) => ({
        subscriptionId: adjustment.subscription_id ?? adjustment.transaction_id ?? null,
        changeId: null,
        content: adjustmentContent(type, adjustment),
      }));
    default:
      return nothing(`Events of type ${type} are ignored.`);
  }
};

const subscriptionContent = (type: string, data: z.output<typeof aSubscription>): EventContent => {
  const period = periodOf(data.current_billing_period);
  if (type === "subscription.canceled" || data.status === "canceled") {
    return { kind: "cancelled", endsAt: period?.end ?? null };
  }
  if (data.status === "paused") return { kind: "nothing", reason: "The subscription is paused." };
  return { kind: "changed", prices: data.items, period };
};

const adjustmentContent = (type: string, data: z.output<typeof aAdjustment>): EventContent => {
  const { action } = data;
  const status = data.status ?? "";
  if (action !== "refund" && action !== "chargeback") {
    return { kind: "nothing", reason: `An adjustment of type ${action} changes no plan.` };
  }
  if (type === "adjustment.created") return { kind: "adjusted", action, status };
  if (status === "rejected") return { kind: "notAdjusted", action };
  return { kind: "nothing", reason: `A ${action} with status ${status} changes no plan.` };
};

const bEnvelope = z.object({
  id: eventId,
  type: name,
  created: z.int().min(0).max(8_000_000_000),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});
const bSession = z.object({
  id: name,
  payment_status: name,
  subscription: z.union([name, z.object({ id: name }).transform(({ id }) => id)]).nullish(),
  metadata: custom,
});

/** Parses an event of provider B. Returns null if it lacks an id, type or time and so cannot be recorded. */
export const readProviderB = (body: unknown): ParsedEvent | null => {
  const envelope = bEnvelope.safeParse(body);
  if (!envelope.success) return null;
  const { id, type, created, data } = envelope.data;
  const occurredAt = new Date(created * 1_000).toISOString();
  const envelopeFields = { provider: "provider-b", eventId: id, type, occurredAt } as const;
  return { ...envelopeFields, ...dataOfB(type, data.object) };
};

const dataOfB = (type: string, data: unknown): EventData => {
  if (type !== "checkout.session.completed") {
    return nothing(`Events of type ${type} are ignored.`);
  }
  return parse(bSession.safeParse(data), (session) => {
    const changeId = session.metadata?.plan_change_request_id ?? null;
    const subscriptionId = session.subscription ?? session.id;
    const refused =
      session.payment_status !== "paid"
        ? `The payment is ${session.payment_status}.`
        : changeId === null
          ? "The metadata contain no plan_change_request_id."
          : null;
    const content: EventContent =
      refused === null
        ? { kind: "bought", prices: [], period: null, isRenewal: false }
        : { kind: "nothing", reason: refused };
    return { subscriptionId, changeId, content };
  });
};

const periodOf = (period: z.output<typeof aPeriod>): BillingPeriod | null =>
  period ? { start: period.starts_at, end: period.ends_at } : null;

const parse = <Data>(
  parsed: z.ZodSafeParseResult<Data>,
  toEventData: (data: Data) => EventData,
): EventData => {
  if (parsed.success) return toEventData(parsed.data);
  const fields = parsed.error.issues.map(({ path }) => path.join(".") || "data");
  return nothing(`The data do not match the event type: ${[...new Set(fields)].join(", ")}.`);
};

const nothing = (reason: string): EventData => ({
  subscriptionId: null,
  changeId: null,
  content: { kind: "nothing", reason: reason.slice(0, 300) },
});
