import { randomUUID } from "node:crypto";

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered.
  readonly body: any;
};

export type CallOptions = {
  readonly body?: unknown;
  /** An access token or an API key. */
  readonly bearer?: string;
  readonly organizationId?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Maximum time, in milliseconds, for which a call is retried while the service is overloaded. */
const PATIENCE_MS = 60_000;

/**
 * Calls the service over HTTP. Retries a GET on 503, and a change only if it was rejected before it was processed.
 * Resolves when the read models contain the written events. The body is parsed JSON, or a Buffer for a
 * binary response.
 */
export const call = async (
  baseUrl: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> => {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const reply = await callOnce(baseUrl, method, path, options);
    const isUndone = method === "GET" || reply.body?.detail === OVERLOADED;
    const isLate = method === "GET" && isBehind(reply);
    const isAgain = (reply.status === 503 && isUndone) || isLate;
    if (!isAgain || Date.now() > deadline) {
      await untilShown(baseUrl, reply, deadline);
      return reply;
    }
    const seconds = isLate ? 0 : Number(reply.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
};

const OVERLOADED = "The service is overloaded. Try again.";

/** Whether the read models lagged behind the response by more than a second. */
const isBehind = ({ headers }: Reply): boolean => headers.get("x-read-model-lag") === "true";

/** Waits until the read models contain the events of a response, which may take longer on a loaded machine. */
const untilShown = async (baseUrl: string, written: Reply, deadline: number): Promise<void> => {
  const position = written.headers.get("x-log-position");
  if (position === null || !isBehind(written)) return;
  const options = { headers: { "x-min-position": position } };
  while (Date.now() < deadline) {
    // This endpoint waits for the position and needs neither credential nor database.
    const looked = await callOnce(baseUrl, "GET", "/api/v1/catalog/plans", options);
    if (looked.status === 200 && !isBehind(looked)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Calls the service once, without retries. */
export const callOnce = async (
  baseUrl: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> => {
  const headers: Record<string, string> = { ...options.headers };
  const isForm = options.body instanceof FormData;
  // fetch adds the boundary to the content type of a form.
  if (options.body !== undefined && !isForm) headers["content-type"] ??= "application/json";
  if (options.bearer) headers.authorization = `Bearer ${options.bearer}`;
  if (options.organizationId) headers["x-org-id"] = options.organizationId;
  if (options.cookie) headers.cookie = options.cookie;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    redirect: "manual",
    ...(options.body === undefined
      ? {}
      : {
          body:
            typeof options.body === "string" || options.body instanceof FormData
              ? options.body
              : JSON.stringify(options.body),
        }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = /[/+]json(;|$)/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString("utf8")) : bytes,
  };
};

export type Account = {
  readonly email: string;
  readonly password: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly accessToken: string;
  /** The refresh cookie, as a Cookie header. */
  readonly cookie: string;
};

/** Signs up a new person with an organisation. */
export const signUp = async (baseUrl: string): Promise<Account> => {
  const email = `${randomUUID()}@example.test`;
  const password = `pw-${randomUUID()}`;
  const reply = await call(baseUrl, "POST", "/api/v1/auth/signup", {
    body: { email, password, name: "Ann Example", organization_name: "Example" },
  });
  if (reply.status !== 201)
    throw new Error(`signup: ${reply.status} ${JSON.stringify(reply.body)}`);
  return {
    email,
    password,
    userId: reply.body.user.id,
    organizationId: reply.body.organization.id,
    accessToken: reply.body.access_token,
    cookie: (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  };
};

/** Creates an API key for an account's organisation. */
export const makeKey = async (
  baseUrl: string,
  account: Account,
  name = "ci",
): Promise<{ id: string; key: string; name: string }> => {
  const reply = await call(baseUrl, "POST", "/api/v1/api-keys", {
    bearer: account.accessToken,
    organizationId: account.organizationId,
    body: { name },
  });
  if (reply.status !== 201) throw new Error(`key: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
};

/** Polls every 50 ms until a condition holds. Throws with the last value after the time limit. */
export const eventually = async <T>(
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`Not so in time: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
