import {
  type LocalProvider,
  type ProviderReply,
  type ProviderRoute,
  routed,
  type Seen,
  startLocalProvider,
} from "./localProvider.ts";

export const providerAKey = "pdl_live_apikey_for_tests";

/** A transaction is a draft until the payer has entered their details. */
type Transaction = {
  readonly id: string;
  status: "draft" | "ready" | "completed" | "canceled";
  readonly custom_data: { readonly plan_change_request_id?: string };
  readonly checkout: object;
  collection_mode: string;
  billing_details?: { readonly enable_checkout: boolean };
};

type State = {
  readonly transactions: Map<string, Transaction>;
  readonly cancelled: Set<string>;
};

/** Starts a provider A that accepts and refuses requests according to its API reference. */
export const startProviderA = async (): Promise<LocalProvider & Pick<State, "transactions">> => {
  const state: State = { transactions: new Map(), cancelled: new Set() };
  const provider = await startLocalProvider(
    JSON.parse,
    (seen) => refusalOf(seen) ?? routed(ROUTES, state, seen) ?? refuse(404, "not_found"),
  );
  return { ...provider, transactions: state.transactions };
};

const refuse = (status: number, code: string): ProviderReply => ({
  status,
  json: {
    error: { type: "request_error", code, detail: "see documentation_url" },
    meta: { request_id: "r" },
  },
});

const give = (status: number, data: unknown): ProviderReply => ({
  status,
  json: { data, meta: { request_id: "r" } },
});

/** The refusal of a request with wrong headers; null for a correct one. */
const refusalOf = ({ headers, body }: Seen): ProviderReply | null => {
  if (headers.authorization !== `Bearer ${providerAKey}`) {
    return refuse(403, "authentication_malformed");
  }
  if (headers["paddle-version"] !== "1") return refuse(400, "unsupported_api_version");
  return body !== null && headers["content-type"] !== "application/json"
    ? refuse(415, "unsupported_media_type")
    : null;
};

const isOpen = ({ status }: Transaction): boolean => status === "draft" || status === "ready";

const listTransactions = ({ transactions }: State, { query }: Seen): ProviderReply =>
  query.get("status") === "draft,ready"
    ? give(200, [...transactions.values()].filter(isOpen))
    : refuse(400, "bad_request");

const createTransaction = ({ transactions }: State, { body }: Seen): ProviderReply => {
  const [item] = body.items ?? [];
  if (!item?.price_id?.startsWith("pri_") || item.quantity !== 1) {
    return refuse(400, "bad_request");
  }
  const id = `txn_${transactions.size + 1}`;
  const made: Transaction = {
    id,
    status: "draft",
    custom_data: body.custom_data,
    checkout: { url: `${body.checkout.url}&_ptxn=${id}` },
    collection_mode: body.collection_mode,
  };
  transactions.set(id, made);
  return give(201, made);
};

const findTransaction = ({ transactions }: State, _: Seen, id: string): ProviderReply => {
  const found = transactions.get(id);
  return found ? give(200, found) : refuse(404, "not_found");
};

const changeTransaction = ({ transactions }: State, { body }: Seen, id: string): ProviderReply => {
  const opened = transactions.get(id);
  if (!opened) return refuse(404, "not_found");
  if (body.status !== undefined && (body.status !== "canceled" || opened.status !== "ready")) {
    return refuse(400, "transaction_invalid_status_change");
  }
  if (!isOpen(opened)) return refuse(400, "transaction_immutable");
  if (body.collection_mode === "manual" && !body.billing_details?.payment_terms) {
    return refuse(400, "transaction_payment_terms_must_be_present");
  }
  return give(200, Object.assign(opened, body));
};

const PERIOD = { starts_at: "2026-11-01T10:00:00.5Z", ends_at: "2026-12-01T10:00:00.5Z" };

const activeSubscription = (id: string): ProviderReply =>
  give(200, { id, status: "active", current_billing_period: PERIOD });

const CANCELLED = refuse(400, "subscription_is_canceled_action_invalid");

const cancelSubscription = ({ cancelled }: State, { body }: Seen, id: string): ProviderReply => {
  if (cancelled.has(id)) return CANCELLED;
  if (!["immediately", "next_billing_period"].includes(body.effective_from)) {
    return refuse(400, "bad_request");
  }
  if (body.effective_from === "immediately") cancelled.add(id);
  return activeSubscription(id);
};

const changeSubscription = ({ cancelled }: State, { body }: Seen, id: string): ProviderReply => {
  if (cancelled.has(id)) return CANCELLED;
  return body.items && !body.proration_billing_mode
    ? refuse(400, "subscription_update_missing_proration_billing_mode")
    : activeSubscription(id);
};

const ROUTES: readonly ProviderRoute<State>[] = [
  { method: "GET", path: /^\/transactions$/, answer: listTransactions },
  { method: "POST", path: /^\/transactions$/, answer: createTransaction },
  { method: "GET", path: /^\/transactions\/(txn_\w+)$/, answer: findTransaction },
  { method: "PATCH", path: /^\/transactions\/(txn_\w+)$/, answer: changeTransaction },
  { method: "POST", path: /^\/subscriptions\/(sub_\w+)\/cancel$/, answer: cancelSubscription },
  { method: "PATCH", path: /^\/subscriptions\/(sub_\w+)$/, answer: changeSubscription },
];
