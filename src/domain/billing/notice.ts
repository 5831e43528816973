import { z } from "zod";
import type { BillingPeriod } from "./calendar.ts";
import type { ProviderName } from "./subscription.ts";

/** What an event of a payment provider says, in our words. */
export type Notice = NoticeRead & {
  /** SHA-256 of the body as it came. */
  readonly bodySha256: string;
};

/** What its JSON says. */
type NoticeRead = {
  readonly provider: ProviderName;
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  /** What it is about at the provider: a subscription, or a single payment. */
  readonly subscriptionId: string | null;
  /** The change request that it names. */
  readonly changeId: string | null;
  readonly says: Saying;
};

export type Saying =
  | {
      readonly kind: "bought";
      readonly prices: readonly string[];
      readonly period: BillingPeriod | null;
      /** A payment of what was bought before. */
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
  /** Money that was to go back did not. */
  | { readonly kind: "notAdjusted"; readonly action: "refund" | "chargeback" }
  | { readonly kind: "nothing"; readonly reason: string };

/** An id that can name a stream. */
const eventId = z.string().regex(/^[\w-]{1,120}$/);

/** Times of providers have microseconds, or nanoseconds; ours have milliseconds. */
const instant = z
  .string()
  .max(40)
  .refine((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString())
  // Its zone may carry it out of the years that an event can hold, and a read model.
  .refine((text) => /^\d{4}-/.test(text) && text >= "0001");

/** Without what no database takes: NUL, and halves of characters. */
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

type Told = Pick<Notice, "subscriptionId" | "changeId" | "says">;

/** Reads an event of provider A. null: it has no id, type and time, and cannot be recorded. */
export const readProviderA = (body: unknown): NoticeRead | null => {
  const envelope = aEnvelope.safeParse(body);
  if (!envelope.success) return null;
  const { event_id, event_type, occurred_at, data } = envelope.data;
  const marks = {
    provider: "provider-a",
    eventId: event_id,
    type: event_type,
    occurredAt: occurred_at,
  } as const;
  return { ...marks, ...toldByA(event_type, data) };
};

const toldByA = (type: string, data: unknown): Told => {
  switch (type) {
    case "transaction.completed":
      return told(aTransaction.safeParse(data), (transaction) => ({
        subscriptionId: transaction.subscription_id ?? transaction.id,
        changeId: transaction.custom_data?.plan_change_request_id ?? null,
        says: {
          kind: "bought",
          prices: transaction.items,
          period: periodOf(transaction.billing_period),
          isRenewal: transaction.origin?.startsWith("subscription_") ?? false,
        },
      }));
    case "subscription.updated":
    case "subscription.canceled":
      return told(aSubscription.safeParse(data), (subscription) => ({
        subscriptionId: subscription.id,
        changeId: subscription.custom_data?.plan_change_request_id ?? null,
        says: saidOfSubscription(type, subscription),
      }));
    case "adjustment.created":
    case "adjustment.updated":
      return told(aAdjustment.safeParse(data), (adjustment) => ({
        subscriptionId: adjustment.subscription_id ?? adjustment.transaction_id ?? null,
        changeId: null,
        says: saidOfAdjustment(type, adjustment),
      }));
    default:
      return nothing(`Events of type ${type} are not acted on.`);
  }
};

const saidOfSubscription = (type: string, data: z.output<typeof aSubscription>): Saying => {
  const period = periodOf(data.current_billing_period);
  if (type === "subscription.canceled" || data.status === "canceled") {
    return { kind: "cancelled", endsAt: period?.end ?? null };
  }
  if (data.status === "paused") return { kind: "nothing", reason: "The subscription is paused." };
  return { kind: "changed", prices: data.items, period };
};

const saidOfAdjustment = (type: string, data: z.output<typeof aAdjustment>): Saying => {
  const { action } = data;
  const status = data.status ?? "";
  if (action !== "refund" && action !== "chargeback") {
    return { kind: "nothing", reason: `An adjustment by ${action} changes no plan.` };
  }
  if (type === "adjustment.created") return { kind: "adjusted", action, status };
  if (status === "rejected") return { kind: "notAdjusted", action };
  return { kind: "nothing", reason: `That a ${action} is ${status} changes nothing.` };
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

/** Reads an event of provider B. null: it has no id, type and time, and cannot be recorded. */
export const readProviderB = (body: unknown): NoticeRead | null => {
  const envelope = bEnvelope.safeParse(body);
  if (!envelope.success) return null;
  const { id, type, created, data } = envelope.data;
  const occurredAt = new Date(created * 1_000).toISOString();
  const marks = { provider: "provider-b", eventId: id, type, occurredAt } as const;
  return { ...marks, ...toldByB(type, data.object) };
};

const toldByB = (type: string, data: unknown): Told => {
  if (type !== "checkout.session.completed") {
    return nothing(`Events of type ${type} are not acted on.`);
  }
  return told(bSession.safeParse(data), (session) => {
    const changeId = session.metadata?.plan_change_request_id ?? null;
    const subscriptionId = session.subscription ?? session.id;
    const refused =
      session.payment_status !== "paid"
        ? `The payment is ${session.payment_status}.`
        : changeId === null
          ? "The metadata hold no plan_change_request_id."
          : null;
    const says: Saying =
      refused === null
        ? { kind: "bought", prices: [], period: null, isRenewal: false }
        : { kind: "nothing", reason: refused };
    return { subscriptionId, changeId, says };
  });
};

const periodOf = (period: z.output<typeof aPeriod>): BillingPeriod | null =>
  period ? { start: period.starts_at, end: period.ends_at } : null;

const told = <Data>(parsed: z.ZodSafeParseResult<Data>, tell: (data: Data) => Told): Told => {
  if (parsed.success) return tell(parsed.data);
  const fields = parsed.error.issues.map(({ path }) => path.join(".") || "data");
  return nothing(`The event is not as its type says: ${[...new Set(fields)].join(", ")}.`);
};

const nothing = (reason: string): Told => ({
  subscriptionId: null,
  changeId: null,
  says: { kind: "nothing", reason: reason.slice(0, 300) },
});
