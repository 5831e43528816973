import { z } from "zod";
import { type Checkout, type CheckoutRequest, PaymentError, type PaymentProvider } from "./port.ts";

/** Default URL of provider A. */
export const PROVIDER_A_API = "https://api.paddle.com";

/** Version of its API. */
const API_VERSION = "1";
const TIMEOUT_MS = 10_000;
/** Maximum page size of the API. */
const PAGE = 200;

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
const transaction = z.object({
  id: z.string(),
  status: z.string().nullish(),
  custom_data: z.record(z.string(), z.unknown()).nullish(),
  checkout: z.object({ url: z.string().nullish() }).nullish(),
});
const subscription = z.object({
  id: z.string(),
  status: z.string(),
  current_billing_period: z.object({ starts_at: instant, ends_at: instant }).nullish(),
});
const failure = z.object({ error: z.object({ type: z.string(), code: z.string() }) });

/** Error codes of declined payments. */
const DECLINED = /declined|payment_fail/;
/** Error codes of subscriptions that have ended or are scheduled to end. */
const ENDED =
  /^(not_found|entity_not_found|subscription_(is_)?(already_)?cancell?ed.*|.*_is_cancell?ed_action_invalid|subscription_locked_pending_changes)$/;

/** Transaction statuses after payment, or with a payment obligation. */
const PAID = new Set(["billed", "paid", "completed", "past_due"]);
/** Changes a draft to manual collection, without a checkout page. */
const UNPAYABLE = {
  collection_mode: "manual",
  billing_details: {
    enable_checkout: false,
    payment_terms: { interval: "day", frequency: 1 },
  },
};

type ProviderA = { readonly apiUrl: string; readonly apiKey: string };

/** Provider A over its HTTP API: JSON, a bearer key, and the API version in a header. */
export const createProviderA = (provider: ProviderA): PaymentProvider => ({
  openCheckout: (request) => openCheckout(provider, request),

  closeCheckout: async ({ changeId, checkoutId, askedAt }) => {
    const id = checkoutId ?? (await findCheckout(provider, changeId, askedAt))?.id;
    return id === undefined ? null : { id, outcome: await close(provider, id) };
  },

  changeSubscription: async ({ subscriptionId, priceId, changeId }) => {
    await call(provider, "PATCH", subscriptionPath(subscriptionId), subscription, {
      items: [{ price_id: priceId, quantity: 1 }],
      proration_billing_mode: "prorated_immediately",
      on_payment_failure: "prevent_change",
      custom_data: { plan_change_request_id: changeId },
    });
    return { isPaid: false, period: null };
  },

  cancelSubscription: async (subscriptionId, when) => {
    const effective_from = when === "now" ? "immediately" : "next_billing_period";
    const path = `${subscriptionPath(subscriptionId)}/cancel`;
    try {
      await call(provider, "POST", path, subscription, { effective_from });
    } catch (error) {
      if (!(error instanceof PaymentError && error.kind === "refused" && isOver(error))) {
        throw error;
      }
    }
  },

  resumeSubscription: async (subscriptionId) => {
    await call(provider, "PATCH", subscriptionPath(subscriptionId), subscription, {
      scheduled_change: null,
    });
  },
});

const subscriptionPath = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`;
const transactionPath = (id: string): string => `/transactions/${encodeURIComponent(id)}`;

const call = async <Data>(
  { apiUrl, apiKey }: ProviderA,
  method: "GET" | "POST" | "PATCH",
  path: string,
  data: z.ZodType<Data>,
  body?: object,
): Promise<Data> => {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "paddle-version": API_VERSION,
      accept: "application/json",
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "error",
  }).catch((cause: unknown) => {
    throw new PaymentError("away", "Provider A does not respond.", { cause });
  });
  const json: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorOf(response.status, json);
  const parsed = z.object({ data }).safeParse(json);
  if (parsed.success) return parsed.data.data;
  throw new PaymentError("away", "Provider A sent an unreadable response.");
};

const openCheckout = async (
  provider: ProviderA,
  { changeId, priceId, askedAt, returnUrl }: CheckoutRequest,
): Promise<Checkout> => {
  const opened = await findCheckout(provider, changeId, askedAt);
  if (opened) return checkoutOf(opened);
  const created = await call(provider, "POST", "/transactions", transaction, {
    items: [{ price_id: priceId, quantity: 1 }],
    collection_mode: "automatic",
    custom_data: { plan_change_request_id: changeId },
    checkout: { url: returnUrl },
  });
  // Of concurrent checkouts for one change, the first one is used.
  return checkoutOf((await findCheckout(provider, changeId, askedAt)) ?? created);
};

const checkoutOf = ({ id, checkout }: z.output<typeof transaction>): Checkout => {
  if (checkout?.url) return { id, url: checkout.url };
  throw new PaymentError(
    "refused",
    "Provider A returned no checkout page. Configure a default payment page there.",
  );
};

/** The open checkout of a change. The API has no idempotency keys, so it is searched for instead. */
const findCheckout = async (provider: ProviderA, changeId: string, askedAt: string) => {
  const query = new URLSearchParams({
    status: "draft,ready",
    origin: "api",
    "created_at[GTE]": askedAt,
    order_by: "id[ASC]",
    per_page: String(PAGE),
  });
  const found = await call(provider, "GET", `/transactions?${query}`, z.array(transaction));
  return found.find(({ custom_data }) => custom_data?.plan_change_request_id === changeId);
};

const changeTransaction = (provider: ProviderA, id: string, change: object) =>
  call(provider, "PATCH", transactionPath(id), transaction, change);

/** Closes a checkout. A draft cannot be cancelled: it is changed to manual collection without a checkout page. */
const close = async (provider: ProviderA, id: string): Promise<"closed" | "paid"> => {
  try {
    await changeTransaction(provider, id, { status: "canceled" });
    return "closed";
  } catch (error) {
    if (!(error instanceof PaymentError) || error.kind !== "refused") throw error;
    const found = await call(provider, "GET", transactionPath(id), transaction);
    if (found.status === "canceled") return "closed";
    if (PAID.has(found.status ?? "")) return "paid";
    if (found.status !== "draft") throw error;
    await changeTransaction(provider, id, UNPAYABLE);
    return "closed";
  }
};

const isOver = ({ message }: PaymentError): boolean =>
  ENDED.test(/\((\w+)\)/.exec(message)?.[1] ?? "");

const errorOf = (status: number, json: unknown): PaymentError => {
  const parsed = failure.safeParse(json);
  const code = parsed.success ? parsed.data.error.code.replace(/\W/g, "_").slice(0, 80) : status;
  if (status === 429 || status >= 500) {
    return new PaymentError("away", `Provider A is temporarily unavailable (${code}).`);
  }
  if (DECLINED.test(String(code))) {
    return new PaymentError("declined", `The payment was declined (${code}).`);
  }
  return new PaymentError("refused", `Provider A rejected the request (${code}).`);
};
