import { errorBody, id, pageQuery } from "../schemas.ts";
import { type Json, jsonSchema } from "./jsonSchema.ts";

/** Components that every operation refers to by name: headers, header parameters, error responses, credentials. */

const header = (description: string): Json => ({ description, schema: { type: "string" } });

export const headers = {
  RequestId: header("The id of this call in the service's log"),
  ETag: header("The version of the resource, quoted; send it as If-Match"),
  LogPosition: header("The position of the write in the event log; send it as X-Min-Position"),
  Location: header("The address that the browser is redirected to"),
  ContentDisposition: header("The file name of the download"),
  RetryAfter: header("Seconds to wait before the next attempt"),
  WwwAuthenticate: header("Always Bearer"),
} as const;

export const headerRef = (name: keyof typeof headers): Json => ({
  $ref: `#/components/headers/${name}`,
});

const headerParameter = (name: string, description: string, schema: Json): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema,
});

export const parameters = {
  OrganizationId: headerParameter(
    "X-Org-Id",
    "With a session: the organisation of the call. An API key has its own",
    { type: "string", format: "uuid" },
  ),
  IfMatch: headerParameter(
    "If-Match",
    'The ETag that the change is based on, such as "3"; another version is rejected with 412. Several are separated by commas; * matches any version',
    { type: "string" },
  ),
  IdempotencyKey: headerParameter(
    "Idempotency-Key",
    "Identifies this request for 24 hours. A repeat with the same key returns the first response and is not executed again",
    { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  ),
  MinPosition: headerParameter(
    "X-Min-Position",
    "Wait until the read models have reached this position of the event log",
    { type: "string" },
  ),
  Id: { name: "id", in: "path", required: true, schema: jsonSchema(id) },
  Limit: { name: "limit", in: "query", required: false, schema: jsonSchema(pageQuery.shape.limit) },
  Cursor: {
    name: "cursor",
    in: "query",
    required: false,
    schema: jsonSchema(pageQuery.shape.cursor),
  },
} as const;

export const parameterRef = (name: keyof typeof parameters): Json => ({
  $ref: `#/components/parameters/${name}`,
});

const errors: Readonly<Record<number, { readonly name: string; readonly description: string }>> = {
  400: { name: "BadRequest", description: "The request cannot be parsed, or a header is invalid" },
  401: { name: "Unauthorized", description: "The credential is missing or invalid" },
  403: {
    name: "Forbidden",
    description: "Another organisation's resource, or not allowed by the role or the plan",
  },
  404: { name: "NotFound", description: "The resource does not exist, or the id is malformed" },
  408: { name: "RequestTimeout", description: "The request arrived too slowly" },
  409: {
    name: "Conflict",
    description:
      "Not possible in this state, or the Idempotency-Key belongs to another request or to one in progress",
  },
  410: { name: "Gone", description: "Deleted after the plan's retention period" },
  412: {
    name: "PreconditionFailed",
    description: "The resource has another version than If-Match",
  },
  413: { name: "ContentTooLarge", description: "The body is too large" },
  414: { name: "UriTooLong", description: "The URL, or a segment of its path, is too long" },
  415: { name: "UnsupportedMediaType", description: "The content type is not application/json" },
  422: { name: "UnprocessableContent", description: "A field is invalid; the detail names it" },
  426: { name: "UpgradeRequired", description: "The path accepts only WebSocket connections" },
  429: { name: "TooManyRequests", description: "A quota or a rate limit is exceeded" },
  500: { name: "InternalServerError", description: "A fault of the service" },
  503: {
    name: "ServiceUnavailable",
    description: "The service is starting, overloaded, or one of its parts is unavailable",
  },
};

/** The reference to the error response of a status. */
export const errorRef = (status: number): Json => ({
  $ref: `#/components/responses/${errors[status]?.name ?? "Error"}`,
});

const errorResponse = (description: string, ownHeaders: Json = {}): Json => ({
  description,
  ...(Object.keys(ownHeaders).length > 0 ? { headers: ownHeaders } : {}),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

const headersOf = (status: number): Json => {
  if (status === 401) return { "WWW-Authenticate": headerRef("WwwAuthenticate") };
  return status === 429 || status === 503 ? { "Retry-After": headerRef("RetryAfter") } : {};
};

export const errorResponses: Json = {
  Error: errorResponse("Error"),
  ...Object.fromEntries(
    Object.entries(errors).map(([status, { name, description }]) => [
      name,
      errorResponse(description, headersOf(Number(status))),
    ]),
  ),
};

export const errorSchema: Json = jsonSchema(errorBody);

export const securitySchemes: Json = {
  session: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The access token of a session; X-Org-Id names the organisation.",
  },
  apiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "ak_live_…",
    description: "An API key; it belongs to one organisation.",
  },
  refreshCookie: { type: "apiKey", in: "cookie", name: "refresh_token" },
};
