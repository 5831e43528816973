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

/** So long a call is made again when the service says that it is busy: a test machine may be. */
const PATIENCE_MS = 60_000;

/**
 * Calls the service over HTTP, as any client would: what is answered "come again later" is asked again,
 * a question always, a change only where it was refused before anything was done. What a change wrote can be
 * read once this resolves. Binary answers come as a Buffer.
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

/** An answer does not wait longer than a second for the read models, and says so where they had not come so far. */
const isBehind = ({ headers }: Reply): boolean => headers.get("x-read-model-lag") === "true";

/** Waits until what an answer says was written is shown: on a machine with much to do that may take longer than the answer did. */
const untilShown = async (baseUrl: string, written: Reply, deadline: number): Promise<void> => {
  const position = written.headers.get("x-log-position");
  if (position === null || !isBehind(written)) return;
  const options = { headers: { "x-min-position": position } };
  while (Date.now() < deadline) {
    // It waits itself, and needs neither credential nor part.
    const looked = await callOnce(baseUrl, "GET", "/api/v1/catalog/plans", options);
    if (looked.status === 200 && !isBehind(looked)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Calls the service once, whatever it answers. */
export const callOnce = async (
  baseUrl: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> => {
  const headers: Record<string, string> = { ...options.headers };
  const isForm = options.body instanceof FormData;
  // A form's type names the boundary that is made when it is sent.
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

/** Signs a new person up, with an organisation of their own. */
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

/** Makes an API key for an account's organisation. */
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

/** Waits until a condition holds, asking again every 50 ms; fails with what it last saw. */
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
