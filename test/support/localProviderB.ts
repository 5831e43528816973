import {
  type LocalProvider,
  type ProviderReply,
  type ProviderRoute,
  routed,
  type Seen,
  startLocalProvider,
} from "./localProvider.ts";

export const providerBKey = "sk_test_for_tests";

type Session = {
  readonly id: string;
  status: "open" | "complete" | "expired";
  readonly client_reference_id: string;
};

type State = {
  readonly sessions: Map<string, Session>;
  readonly cancelled: Set<string>;
  /** Replies by idempotency key. */
  readonly kept: Map<string, { readonly request: string; readonly reply: ProviderReply }>;
};

/** Starts a provider B according to its API reference, with form bodies, API version and idempotency keys. */
export const startProviderB = async (): Promise<LocalProvider & Pick<State, "sessions">> => {
  const state: State = { sessions: new Map(), cancelled: new Set(), kept: new Map() };
  const provider = await startLocalProvider(
    formOf,
    (seen) => refusalOf(seen) ?? routed(ROUTES, state, seen) ?? refuse(404, "resource_missing"),
  );
  return { ...provider, sessions: state.sessions };
};

/** Reads form fields by path, such as `a[b][0]`. */
const formOf = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text));

const refuse = (status: number, code: string, type = "invalid_request_error"): ProviderReply => ({
  status,
  json: { error: { type, code, message: "see the reference" } },
});

const give = (json: object): ProviderReply => ({ status: 200, json });

/** The refusal of a request with wrong headers; null for a correct one. */
const refusalOf = ({ method, headers }: Seen): ProviderReply | null => {
  if (headers.authorization !== `Bearer ${providerBKey}`) return refuse(401, "api_key_invalid");
  if (!/^\d{4}-\d\d-\d\d/.test(String(headers["stripe-version"]))) {
    return refuse(400, "api_version_invalid");
  }
  const isForm = String(headers["content-type"]).startsWith("application/x-www-form-urlencoded");
  return method === "POST" && !isForm ? refuse(415, "content_type_invalid") : null;
};

/** Replies to a repeated key with the first reply, and refuses the key for another request. */
const once = ({ kept }: State, seen: Seen, act: () => ProviderReply): ProviderReply => {
  const key = String(seen.headers["idempotency-key"] ?? "");
  if (key === "") return refuse(400, "idempotency_key_missing");
  const request = JSON.stringify([seen.path, seen.body]);
  const before = kept.get(key);
  if (before && before.request !== request) {
    return refuse(400, "idempotency_error", "idempotency_error");
  }
  const reply = before?.reply ?? act();
  kept.set(key, { request, reply });
  return reply;
};

const createSession = (state: State, seen: Seen): ProviderReply =>
  once(state, seen, () => {
    const { sessions } = state;
    const { body } = seen;
    const isWhole =
      body.mode === "subscription" &&
      body["line_items[0][price]"]?.startsWith("price_") &&
      body["line_items[0][quantity]"] === "1" &&
      body.success_url &&
      body["metadata[plan_change_request_id]"];
    if (!isWhole) return refuse(400, "parameter_missing");
    const id = `cs_test_${sessions.size + 1}`;
    const session = {
      id,
      object: "checkout.session",
      url: `https://pay.example/c/${id}`,
      status: "open",
      client_reference_id: body.client_reference_id ?? "",
    } as const;
    sessions.set(id, session);
    return give(session);
  });

const listSessions = ({ sessions }: State, { path }: Seen): ProviderReply => {
  const data = [...sessions.values()].filter(({ status }) => status === "open");
  return give({ object: "list", data, has_more: false, url: path });
};

const findSession = ({ sessions }: State, _: Seen, id: string): ProviderReply => {
  const session = sessions.get(id);
  return session ? give(session) : refuse(404, "resource_missing");
};

const expireSession = ({ sessions }: State, _: Seen, id: string): ProviderReply => {
  const session = sessions.get(id);
  if (!session) return refuse(404, "resource_missing");
  if (session.status !== "open") return refuse(400, "");
  session.status = "expired";
  return give(session);
};

const subscriptionOf = ({ cancelled }: State, id: string): ProviderReply =>
  give({
    id,
    object: "subscription",
    status: cancelled.has(id) ? "canceled" : "active",
    items: {
      object: "list",
      data: [
        {
          id: `si_${id}`,
          object: "subscription_item",
          current_period_start: 1_761_991_200,
          current_period_end: 1_764_583_200,
        },
      ],
    },
  });

const cancelSubscription = (state: State, _: Seen, id: string): ProviderReply => {
  if (state.cancelled.has(id)) return refuse(404, "resource_missing");
  state.cancelled.add(id);
  return subscriptionOf(state, id);
};

const SESSIONS = /^\/v1\/checkout\/sessions$/;
const SUBSCRIPTION = /^\/v1\/subscriptions\/(sub_\w+)$/;

const ROUTES: readonly ProviderRoute<State>[] = [
  { method: "POST", path: SESSIONS, answer: createSession },
  { method: "GET", path: SESSIONS, answer: listSessions },
  { method: "GET", path: /^\/v1\/checkout\/sessions\/(cs_test_\d+)$/, answer: findSession },
  {
    method: "POST",
    path: /^\/v1\/checkout\/sessions\/(cs_test_\d+)\/expire$/,
    answer: expireSession,
  },
  { method: "GET", path: SUBSCRIPTION, answer: (state, _, id) => subscriptionOf(state, id) },
  {
    method: "POST",
    path: SUBSCRIPTION,
    answer: (state, seen, id) => once(state, seen, () => subscriptionOf(state, id)),
  },
  { method: "DELETE", path: SUBSCRIPTION, answer: cancelSubscription },
];
