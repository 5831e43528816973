import Stripe from "stripe";
import { type Checkout, type CheckoutRequest, PaymentError, type PaymentProvider } from "./port.ts";

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
/** Maximum page size of the API. */
const PAGE = 100;
/** Checkouts are opened within a day of the change request. */
const OPENED_WITHIN_SECONDS = 24 * 60 * 60;

/** Provider B through its SDK. */
export const createProviderB = (deps: {
  /** null: the SDK's default. */
  readonly apiUrl: string | null;
  readonly secretKey: string;
}): PaymentProvider => {
  const stripe = new Stripe(deps.secretKey, {
    ...(deps.apiUrl === null ? {} : addressOf(deps.apiUrl)),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
  return {
    openCheckout: (request) => withPaymentErrors(() => openCheckout(stripe, request)),
    closeCheckout: (request) => withPaymentErrors(() => closeCheckout(stripe, request)),
    changeSubscription: (change) => withPaymentErrors(() => changeSubscription(stripe, change)),

    cancelSubscription: (subscriptionId, when) =>
      withPaymentErrors(async () => {
        if (when === "now") await stripe.subscriptions.cancel(subscriptionId);
        else await stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true });
      }).catch((error: unknown) => {
        if (error instanceof PaymentError && /\(resource_missing\)/.test(error.message)) return;
        throw error;
      }),

    resumeSubscription: (subscriptionId) =>
      withPaymentErrors(async () => {
        await stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: false });
      }),
  };
};

/** Calls the SDK and converts its errors to PaymentErrors. */
const withPaymentErrors = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw errorOf(error);
  }
};

const openCheckout = async (
  stripe: Stripe,
  { changeId, priceId, returnUrl }: CheckoutRequest,
): Promise<Checkout> => {
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
  if (!session.url) throw new PaymentError("refused", "Provider B returned no checkout page.");
  return { id: session.id, url: session.url };
};

const closeCheckout = async (
  stripe: Stripe,
  { changeId, checkoutId, askedAt }: Parameters<PaymentProvider["closeCheckout"]>[0],
): ReturnType<PaymentProvider["closeCheckout"]> => {
  const id = checkoutId ?? (await findSession(stripe, changeId, askedAt));
  if (id === null) return null;
  try {
    await stripe.checkout.sessions.expire(id);
    return { id, outcome: "closed" };
  } catch (error) {
    // Only open sessions can expire.
    if (errorOf(error).kind !== "refused") throw error;
    const { status } = await stripe.checkout.sessions.retrieve(id);
    if (status === "expired") return { id, outcome: "closed" };
    if (status === "complete") return { id, outcome: "paid" };
    throw error;
  }
};

const findSession = async (
  stripe: Stripe,
  changeId: string,
  askedAt: string,
): Promise<string | null> => {
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

const changeSubscription = async (
  stripe: Stripe,
  { subscriptionId, priceId, changeId }: Parameters<PaymentProvider["changeSubscription"]>[0],
): ReturnType<PaymentProvider["changeSubscription"]> => {
  const known = await stripe.subscriptions.retrieve(subscriptionId);
  const [item] = known.items.data;
  if (!item) throw new PaymentError("refused", "The subscription at provider B has no items.");
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
    // 409: a request with the same idempotency key is in progress.
    return isFinal && statusCode !== 409
      ? new PaymentError("refused", `Provider B rejected the request (${codeOf(error)}).`)
      : new PaymentError("away", `Provider B is temporarily unavailable (${codeOf(error)}).`);
  }
  return new PaymentError("away", "Provider B does not respond.", { cause: error });
};

const codeOf = (error: InstanceType<typeof Stripe.errors.StripeError>): string =>
  (error.code ?? error.type).replace(/\W/g, "_").slice(0, 80);
