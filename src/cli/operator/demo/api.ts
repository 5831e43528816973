import { CommandError, exitCodes } from "../../exitCodes.ts";

/** How a call authenticates itself: an API key, or a session's access token and its organisation. */
export type Credentials =
  | { readonly apiKey: string }
  | { readonly accessToken: string; readonly organizationId: string };

export type Api = {
  /** Calls an operation under /api/v1 and answers its JSON. Throws CommandError with the service's own words. */
  call<Body>(method: "GET" | "POST", path: string, body?: unknown): Promise<Body>;
  /** Fetches a download, by a path from the root. */
  download(path: string): Promise<{ bytes: Buffer; contentType: string }>;
};

const TIMEOUT_MS = 30_000;

/** The service's public HTTP API, as anybody would call it. */
export const createApi = (baseUrl: string, credentials: Credentials): Api => ({
  call: async (method, path, body) => {
    const response = await request(baseUrl, `/api/v1${path}`, method, credentials, body);
    return (await response.json()) as never;
  },
  download: async (path) => {
    const response = await request(baseUrl, path, "GET", credentials);
    return {
      bytes: Buffer.from(await response.arrayBuffer()),
      contentType: response.headers.get("content-type") ?? "",
    };
  },
});

export type SignedUp = {
  readonly credentials: Extract<Credentials, { accessToken: string }>;
  readonly organizationName: string;
  /** The session as a Cookie header: what a browser's WebSocket would send. */
  readonly cookie: string;
};

type SignUpAnswer = {
  readonly access_token: string;
  readonly organization: { readonly id: string; readonly name: string };
};

/** Signs somebody up; the cookie of the answer is the session of a browser. */
export const signUp = async (
  baseUrl: string,
  person: { readonly email: string; readonly password: string; readonly name: string },
): Promise<SignedUp> => {
  const response = await request(baseUrl, "/api/v1/auth/signup", "POST", null, person);
  const answer = (await response.json()) as SignUpAnswer;
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0] ?? "")
    .find((each) => each.startsWith("refresh_token="));
  if (!cookie) {
    throw new CommandError("Signing up gave no session cookie.", exitCodes.unavailable);
  }
  return {
    credentials: { accessToken: answer.access_token, organizationId: answer.organization.id },
    organizationName: answer.organization.name,
    cookie,
  };
};

const request = async (
  baseUrl: string,
  path: string,
  method: string,
  credentials: Credentials | null,
  body?: unknown,
): Promise<Response> => {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (credentials && "apiKey" in credentials)
    headers.authorization = `Bearer ${credentials.apiKey}`;
  if (credentials && "accessToken" in credentials) {
    headers.authorization = `Bearer ${credentials.accessToken}`;
    headers["x-org-id"] = credentials.organizationId;
  }
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CommandError(
      `${method} ${path} was not answered: ${String(reason)}`,
      exitCodes.unavailable,
    );
  });
  if (response.ok) return response;
  throw new CommandError(
    `${method} ${path} answered ${response.status}: ${await detailOf(response)}`,
    exitCodes.unavailable,
  );
};

const detailOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { detail?: unknown }).detail ?? text);
  } catch {
    return text.slice(0, 500);
  }
};
