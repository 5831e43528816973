import Stripe from "stripe";
import { PaymentError, type PaymentProvider } from "./port.ts";

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
/** As many sessions as a page of the list holds at most. */
const PAGE = 100;
/** A change is put to payment within a day, or not at all. */
const OPENED_WITHIN_SECONDS = 24 * 60 * 60;

/** Provider B through its own package: its form encoding, its versions, its keys against doing things twice. */
export const createProviderB = (deps: {
  /** null: where the package reaches it by itself. */
  readonly apiUrl: string | null;
  readonly secretKey: string;
}): PaymentProvider => {
  const stripe = new Stripe(deps.secretKey, {
    ...(deps.apiUrl === null ? {} : addressOf(deps.apiUrl)),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });

  const asked = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await call();
    } catch (error) {
      throw errorOf(error);
    }
  };

  const findSession = async (changeId: string, askedAt: string): Promise<string | null> => {
    const gte = Math.floor(Date.parse(askedAt) / 1_000);
    const sessions = stripe.checkout.sessions.list({
      status: "open",
      created: { gte, lte: gte + OPENED_WITHIN_SECONDS },
      limit: PAGE,
    });
    for await (const { id, client_reference_id } of sessions) {
      if (client_reference_id === changeId) return id;
    }
    return null;
  };

  return {
    openCheckout: ({ changeId, priceId, returnUrl }) =>
      asked(async () => {
        const metadata = { plan_change_request_id: changeId };
        const session = await stripe.checkout.sessions.create(
          {
            mode: "subscription",
            line_items: [{ price: priceId, quantity: 1 }],
            client_reference_id: changeId,
            metadata,
            subscription_data: { metadata },
            success_url: returnUrl,
            cancel_url: returnUrl,
          },
          { idempotencyKey: changeId },
        );
        if (!session.url) throw new PaymentError("refused", "Provider B gave no page to pay on.");
        return { id: session.id, url: session.url };
      }),

    closeCheckout: ({ changeId, checkoutId, askedAt }) =>
      asked(async () => {
        const id = checkoutId ?? (await findSession(changeId, askedAt));
        if (id === null) return null;
        try {
          await stripe.checkout.sessions.expire(id);
          return { id, outcome: "closed" };
        } catch (error) {
          // Only what is open can expire: what it is instead decides.
          if (errorOf(error).kind !== "refused") throw error;
          const { status } = await stripe.checkout.sessions.retrieve(id);
          if (status === "expired") return { id, outcome: "closed" };
          if (status === "complete") return { id, outcome: "paid" };
          throw error;
        }
      }),

    changeSubscription: ({ subscriptionId, priceId, changeId }) =>
      asked(async () => {
        const known = await stripe.subscriptions.retrieve(subscriptionId);
        const [item] = known.items.data;
        if (!item) throw new PaymentError("refused", "The subscription at provider B is empty.");
        const changed = await stripe.subscriptions.update(
          subscriptionId,
          {
            items: [{ id: item.id, price: priceId }],
            proration_behavior: "always_invoice",
            payment_behavior: "error_if_incomplete",
            metadata: { plan_change_request_id: changeId },
          },
          { idempotencyKey: changeId },
        );
        const [now] = changed.items.data;
        const period = now && {
          start: new Date(now.current_period_start * 1_000).toISOString(),
          end: new Date(now.current_period_end * 1_000).toISOString(),
        };
        return { isPaid: true, period: period ?? null };
      }),

    cancelSubscription: (subscriptionId, when) =>
      asked(async () => {
        if (when === "now") await stripe.subscriptions.cancel(subscriptionId);
        else await stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true });
      }).catch((error: unknown) => {
        if (error instanceof PaymentError && /\(resource_missing\)/.test(error.message)) return;
        throw error;
      }),

    resumeSubscription: (subscriptionId) =>
      asked(async () => {
        await stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: false });
      }),
  };
};

const addressOf = (apiUrl: string) => {
  const { protocol, hostname, port } = new URL(apiUrl);
  return {
    protocol: protocol === "http:" ? ("http" as const) : ("https" as const),
    host: hostname,
    ...(port === "" ? {} : { port: Number(port) }),
  };
};

const errorOf = (error: unknown): PaymentError => {
  if (error instanceof PaymentError) return error;
  if (error instanceof Stripe.errors.StripeCardError) {
    return new PaymentError("declined", `The payment was declined (${codeOf(error)}).`);
  }
  if (error instanceof Stripe.errors.StripeError) {
    const { statusCode = 0 } = error;
    const isFinal = statusCode >= 400 && statusCode < 500 && statusCode !== 429;
    // 409: a request with the same key is under way.
    return isFinal && statusCode !== 409
      ? new PaymentError("refused", `Provider B refuses it (${codeOf(error)}).`)
      : new PaymentError("away", `Provider B cannot do it now (${codeOf(error)}).`);
  }
  return new PaymentError("away", "Provider B does not answer.", { cause: error });
};

const codeOf = (error: InstanceType<typeof Stripe.errors.StripeError>): string =>
  (error.code ?? error.type).replace(/\W/g, "_").slice(0, 80);
