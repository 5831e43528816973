import { z } from "zod";
import { type Checkout, PaymentError, type PaymentProvider } from "./port.ts";

/** Where provider A is reached, unless a setting says otherwise. */
export const PROVIDER_A_API = "https://api.paddle.com";

/** The version of its API that this client speaks. */
const API_VERSION = "1";
const TIMEOUT_MS = 10_000;
/** As many checkouts of one organisation's day are looked through as it has on a page. */
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

/** Codes that say that the money was not there. */
const DECLINED = /declined|payment_fail/;
/** Codes that say that a subscription has ended already, or is to end as asked. */
const ENDED =
  /^(not_found|entity_not_found|subscription_(is_)?(already_)?cancell?ed.*|.*_is_cancell?ed_action_invalid|subscription_locked_pending_changes)$/;

/** What a transaction is once somebody has paid, or is bound to. */
const PAID = new Set(["billed", "paid", "completed", "past_due"]);
/** A draft that is collected by invoice, which may not be paid on a page. */
const UNPAYABLE = {
  collection_mode: "manual",
  billing_details: {
    enable_checkout: false,
    payment_terms: { interval: "day", frequency: 1 },
  },
};

/** Provider A over its HTTP API: JSON, a bearer key, a version in a header of each request. */
export const createProviderA = (deps: {
  readonly apiUrl: string;
  readonly apiKey: string;
}): PaymentProvider => {
  const { apiUrl, apiKey } = deps;

  const call = async <Data>(
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
      throw new PaymentError("away", "Provider A does not answer.", { cause });
    });
    const json: unknown = await response.json().catch(() => null);
    if (!response.ok) throw errorOf(response.status, json);
    const parsed = z.object({ data }).safeParse(json);
    if (parsed.success) return parsed.data.data;
    throw new PaymentError("away", "Provider A answered what nobody can read.");
  };

  const checkoutOf = ({ id, checkout }: z.output<typeof transaction>): Checkout => {
    if (checkout?.url) return { id, url: checkout.url };
    throw new PaymentError("refused", "Provider A has no page to pay on: it wants a default one.");
  };

  /** It knows no idempotency keys: what was opened for the change before is looked for instead. */
  const findCheckout = async (changeId: string, askedAt: string) => {
    const query = new URLSearchParams({
      status: "draft,ready",
      origin: "api",
      "created_at[GTE]": askedAt,
      order_by: "id[ASC]",
      per_page: String(PAGE),
    });
    const found = await call("GET", `/transactions?${query}`, z.array(transaction));
    return found.find(({ custom_data }) => custom_data?.plan_change_request_id === changeId);
  };

  const changeTransaction = (id: string, change: object) =>
    call("PATCH", `/transactions/${encodeURIComponent(id)}`, transaction, change);

  /** Closes a page that is there. What nobody has begun to pay cannot be cancelled, but be left to an invoice that nobody sends. */
  const close = async (id: string): Promise<"closed" | "paid"> => {
    try {
      await changeTransaction(id, { status: "canceled" });
      return "closed";
    } catch (error) {
      if (!(error instanceof PaymentError) || error.kind !== "refused") throw error;
      const found = await call("GET", `/transactions/${encodeURIComponent(id)}`, transaction);
      if (found.status === "canceled") return "closed";
      if (PAID.has(found.status ?? "")) return "paid";
      if (found.status !== "draft") throw error;
      await changeTransaction(id, UNPAYABLE);
      return "closed";
    }
  };

  return {
    closeCheckout: async ({ changeId, checkoutId, askedAt }) => {
      const id = checkoutId ?? (await findCheckout(changeId, askedAt))?.id;
      return id === undefined ? null : { id, outcome: await close(id) };
    },

    openCheckout: async ({ changeId, priceId, askedAt, returnUrl }) => {
      const opened = await findCheckout(changeId, askedAt);
      if (opened) return checkoutOf(opened);
      const created = await call("POST", "/transactions", transaction, {
        items: [{ price_id: priceId, quantity: 1 }],
        collection_mode: "automatic",
        custom_data: { plan_change_request_id: changeId },
        checkout: { url: returnUrl },
      });
      // Somebody else may have opened one at the same moment: the first counts, for both.
      return checkoutOf((await findCheckout(changeId, askedAt)) ?? created);
    },

    changeSubscription: async ({ subscriptionId, priceId, changeId }) => {
      await call("PATCH", `/subscriptions/${encodeURIComponent(subscriptionId)}`, subscription, {
        items: [{ price_id: priceId, quantity: 1 }],
        proration_billing_mode: "prorated_immediately",
        on_payment_failure: "prevent_change",
        custom_data: { plan_change_request_id: changeId },
      });
      return { isPaid: false, period: null };
    },

    cancelSubscription: async (subscriptionId, when) => {
      try {
        await call(
          "POST",
          `/subscriptions/${encodeURIComponent(subscriptionId)}/cancel`,
          subscription,
          { effective_from: when === "now" ? "immediately" : "next_billing_period" },
        );
      } catch (error) {
        if (!(error instanceof PaymentError && error.kind === "refused" && isOver(error))) {
          throw error;
        }
      }
    },

    resumeSubscription: async (subscriptionId) => {
      await call("PATCH", `/subscriptions/${encodeURIComponent(subscriptionId)}`, subscription, {
        scheduled_change: null,
      });
    },
  };
};

const isOver = ({ message }: PaymentError): boolean =>
  ENDED.test(/\((\w+)\)/.exec(message)?.[1] ?? "");

const errorOf = (status: number, json: unknown): PaymentError => {
  const parsed = failure.safeParse(json);
  const code = parsed.success ? parsed.data.error.code.replace(/\W/g, "_").slice(0, 80) : status;
  if (status === 429 || status >= 500) {
    return new PaymentError("away", `Provider A cannot do it now (${code}).`);
  }
  if (DECLINED.test(String(code))) {
    return new PaymentError("declined", `The payment was declined (${code}).`);
  }
  return new PaymentError("refused", `Provider A refuses it (${code}).`);
};
