import { type RunledgerClient, runledgerClient } from "../../../src/client/client.ts";
import { ServiceError } from "./errors.ts";
import { currentSession, isAboutToExpire, refresh } from "./session.ts";

const UNREACHABLE = "The service does not answer. Check your connection; then try again.";

/** Sends a request with the session's token and organisation. Renews the token, and repeats the request once after a 401. */
const sendAuthorized = async (request: Request): Promise<Response> => {
  try {
    if (isAboutToExpire()) await refresh();
    const repetition = request.clone();
    const response = await send(request);
    if (response.status !== 401 || currentSession().status !== "signedIn") return response;
    return (await refresh()) ? await send(repetition) : response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServiceError(0, UNREACHABLE);
  }
};

/** The log position of a write that the read models did not contain in time; null if they contain every write. */
let awaited: string | null = null;

const noteLag = (request: Request, { headers }: Response): void => {
  const isBehind = headers.has("x-read-model-lag");
  if (isBehind) awaited = headers.get("x-log-position") ?? awaited;
  else if (request.headers.has("x-min-position")) awaited = null;
};

const send = async (request: Request): Promise<Response> => {
  const response = await fetch(authorized(request));
  noteLag(request, response);
  return response;
};

const authorized = (request: Request): Request => {
  const session = currentSession();
  if (awaited !== null && request.method === "GET") request.headers.set("X-Min-Position", awaited);
  if (session.status !== "signedIn") return request;
  request.headers.set("Authorization", `Bearer ${session.accessToken}`);
  if (session.organization) request.headers.set("X-Org-Id", session.organization.id);
  return request;
};

export const client: RunledgerClient = runledgerClient({
  baseUrl: location.origin,
  fetch: sendAuthorized,
});

type Reply<Body> = { data?: Body; error?: unknown; response: Response };

/** The body of a call's response. Throws ServiceError with the service's `detail`. */
export const ask = async <Body>(reply: Promise<Reply<Body>>): Promise<Body> => {
  const { data, error, response } = await reply;
  if (response.ok) return data as Body;
  const detail = (error as { detail?: unknown } | undefined)?.detail;
  const message =
    typeof detail === "string" ? detail : `The service answered ${response.status}. Try again.`;
  throw new ServiceError(response.status, message, response);
};
