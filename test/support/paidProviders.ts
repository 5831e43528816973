import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A request received by a provider. */
export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests read any body.
  readonly body: any;
};

type Reply = { readonly status: number; readonly json: object };

export type LocalProvider = {
  readonly url: string;
  readonly seen: Seen[];
  /** Replies to use instead, once each. `cut` closes the connection after the request was processed. */
  readonly instead: (Reply | "cut")[];
  stop(): Promise<void>;
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const startProvider = async (
  read: (text: string) => unknown,
  answer: (seen: Seen) => Reply,
): Promise<LocalProvider> => {
  const seen: Seen[] = [];
  const instead: LocalProvider["instead"] = [];
  const server: Server = createServer(async (request, response) => {
    const text = await textOf(request);
    const url = new URL(request.url ?? "/", "http://local");
    const one: Seen = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === "" ? null : read(text),
    };
    seen.push(one);
    const other = instead.shift();
    const reply = other === undefined || other === "cut" ? answer(one) : other;
    if (other === "cut") {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(JSON.stringify(reply.json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    instead,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const PERIOD = { starts_at: "2026-11-01T10:00:00.5Z", ends_at: "2026-12-01T10:00:00.5Z" };

export const providerAKey = "pdl_live_apikey_for_tests";

/** A transaction is a draft until the payer has entered their details. */
type TransactionOfA = {
  readonly id: string;
  status: "draft" | "ready" | "completed" | "canceled";
  readonly custom_data: { readonly plan_change_request_id?: string };
  readonly checkout: object;
  collection_mode: string;
  billing_details?: { readonly enable_checkout: boolean };
};

/** Starts a provider A that accepts and refuses requests according to its API reference. */
export const startProviderA = async (): Promise<
  LocalProvider & { readonly transactions: Map<string, TransactionOfA> }
> => {
  const transactions = new Map<string, TransactionOfA>();
  const subscriptions = new Map<string, { status: string }>();
  const refuse = (status: number, code: string, type = "request_error"): Reply => ({
    status,
    json: { error: { type, code, detail: "see documentation_url" }, meta: { request_id: "r" } },
  });
  const give = (status: number, data: unknown): Reply => ({
    status,
    json: { data, meta: { request_id: "r" } },
  });
  const provider = await startProvider(JSON.parse, ({ method, path, headers, body, query }) => {
    if (headers.authorization !== `Bearer ${providerAKey}`) {
      return refuse(403, "authentication_malformed");
    }
    if (headers["paddle-version"] !== "1") return refuse(400, "unsupported_api_version");
    if (body !== null && headers["content-type"] !== "application/json") {
      return refuse(415, "unsupported_media_type");
    }
    if (path === "/transactions" && method === "GET") {
      if (query.get("status") !== "draft,ready") return refuse(400, "bad_request");
      const isOpen = ({ status }: TransactionOfA) => status === "draft" || status === "ready";
      return give(200, [...transactions.values()].filter(isOpen));
    }
    if (path === "/transactions" && method === "POST") {
      const [item] = body.items ?? [];
      if (!item?.price_id?.startsWith("pri_") || item.quantity !== 1) {
        return refuse(400, "bad_request");
      }
      const id = `txn_${transactions.size + 1}`;
      const made: TransactionOfA = {
        id,
        status: "draft",
        custom_data: body.custom_data,
        checkout: { url: `${body.checkout.url}&_ptxn=${id}` },
        collection_mode: body.collection_mode,
      };
      transactions.set(id, made);
      return give(201, made);
    }
    const opened = transactions.get(/^\/transactions\/(txn_\w+)$/.exec(path)?.[1] ?? "");
    if (opened && method === "GET") return give(200, opened);
    if (opened && method === "PATCH") {
      if (body.status !== undefined && (body.status !== "canceled" || opened.status !== "ready")) {
        return refuse(400, "transaction_invalid_status_change");
      }
      if (opened.status !== "ready" && opened.status !== "draft") {
        return refuse(400, "transaction_immutable");
      }
      if (body.collection_mode === "manual" && !body.billing_details?.payment_terms) {
        return refuse(400, "transaction_payment_terms_must_be_present");
      }
      return give(200, Object.assign(opened, body));
    }
    const found = /^\/subscriptions\/(sub_\w+)(\/cancel)?$/.exec(path);
    if (!found) return refuse(404, "not_found");
    const id = found[1] ?? "";
    const known = subscriptions.get(id) ?? { status: "active" };
    if (known.status === "canceled") {
      return refuse(400, "subscription_is_canceled_action_invalid");
    }
    if (found[2] && method === "POST") {
      if (!["immediately", "next_billing_period"].includes(body.effective_from)) {
        return refuse(400, "bad_request");
      }
      if (body.effective_from === "immediately") subscriptions.set(id, { status: "canceled" });
      return give(200, { id, status: "active", current_billing_period: PERIOD });
    }
    if (method === "PATCH") {
      if (body.items && !body.proration_billing_mode) {
        return refuse(400, "subscription_update_missing_proration_billing_mode");
      }
      return give(200, { id, status: "active", current_billing_period: PERIOD });
    }
    return refuse(405, "method_not_allowed");
  });
  return { ...provider, transactions };
};

/** Reads form fields by path, such as `a[b][0]`. */
const formOf = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text));

export const providerBKey = "sk_test_for_tests";

type SessionOfB = {
  readonly id: string;
  status: "open" | "complete" | "expired";
  readonly client_reference_id: string;
};

/** Starts a provider B according to its API reference, with form bodies, API version and idempotency keys. */
export const startProviderB = async (): Promise<
  LocalProvider & { readonly sessions: Map<string, SessionOfB> }
> => {
  const sessions = new Map<string, SessionOfB>();
  const kept = new Map<string, { readonly body: string; readonly reply: Reply }>();
  const cancelled = new Set<string>();
  const refuse = (status: number, code: string, type = "invalid_request_error"): Reply => ({
    status,
    json: { error: { type, code, message: "see the reference" } },
  });
  const subscription = (id: string) => ({
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
  const once = (seen: Seen, act: () => Reply): Reply => {
    const key = String(seen.headers["idempotency-key"] ?? "");
    if (key === "") return refuse(400, "idempotency_key_missing");
    const body = JSON.stringify([seen.path, seen.body]);
    const before = kept.get(key);
    if (before && before.body !== body)
      return refuse(400, "idempotency_error", "idempotency_error");
    const reply = before?.reply ?? act();
    kept.set(key, { body, reply });
    return reply;
  };
  const provider = await startProvider(formOf, (seen) => {
    const { method, path, headers, body } = seen;
    if (headers.authorization !== `Bearer ${providerBKey}`) return refuse(401, "api_key_invalid");
    if (!/^\d{4}-\d\d-\d\d/.test(String(headers["stripe-version"]))) {
      return refuse(400, "api_version_invalid");
    }
    if (
      method === "POST" &&
      !String(headers["content-type"]).startsWith("application/x-www-form-urlencoded")
    ) {
      return refuse(415, "content_type_invalid");
    }
    if (method === "POST" && path === "/v1/checkout/sessions") {
      return once(seen, () => {
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
        return { status: 200, json: session };
      });
    }
    if (method === "GET" && path === "/v1/checkout/sessions") {
      const data = [...sessions.values()].filter(({ status }) => status === "open");
      return { status: 200, json: { object: "list", data, has_more: false, url: path } };
    }
    const opened = /^\/v1\/checkout\/sessions\/(cs_test_\d+)(\/expire)?$/.exec(path);
    const session = sessions.get(opened?.[1] ?? "");
    if (session) {
      if (method === "POST") {
        if (!opened?.[2] || session.status !== "open") return refuse(400, "");
        session.status = "expired";
      }
      return { status: 200, json: session };
    }
    const id = /^\/v1\/subscriptions\/(sub_\w+)$/.exec(path)?.[1];
    if (!id) return refuse(404, "resource_missing");
    if (method === "DELETE") {
      if (cancelled.has(id)) return refuse(404, "resource_missing");
      cancelled.add(id);
    }
    if (method === "POST") return once(seen, () => ({ status: 200, json: subscription(id) }));
    return { status: 200, json: subscription(id) };
  });
  return { ...provider, sessions };
};
