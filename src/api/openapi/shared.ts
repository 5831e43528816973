import { browserName } from "../../domain/runs/verdict.ts";
import { tagFilter, triggerFilter } from "../routes/runs/filters.ts";
import { errorBody, id, pageQuery, sortOrder, timeRange } from "../schemas.ts";
import { fieldDescription } from "./glossary.ts";
import { type Json, jsonSchema } from "./jsonSchema.ts";

/** Components of all operations: headers, header parameters, error responses by status, and credentials. */

const header = (description: string): Json => ({ description, schema: { type: "string" } });

export const headers = {
  Id: header("The id of this call in the service's log"),
  ETag: header("The version of the resource, quoted; send it as If-Match"),
  Position: header("The position of the write in the event log; send it as X-Min-Position"),
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

/** A parameter. Its description is that of its schema. */
export const parameterOf = (
  name: string,
  place: "path" | "query",
  required: boolean,
  { description, ...schema }: Json,
): Json => ({
  name,
  in: place,
  required,
  description: description ?? fieldDescription(name, place),
  schema,
});

export const parameters = {
  OrganizationId: headerParameter(
    "X-Org-Id",
    "The organisation of the call. Required with a session of a user with several organisations; with an API key it must be the organisation of the key",
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
  Id: parameterOf("id", "path", true, jsonSchema(id)),
  ExecutionId: parameterOf("execution_id", "path", true, jsonSchema(id)),
  StepId: parameterOf("step_id", "path", true, jsonSchema(id)),
  EnvironmentId: parameterOf("environment_id", "path", true, jsonSchema(id)),
  Browser: parameterOf("browser", "path", true, jsonSchema(browserName)),
  Limit: parameterOf("limit", "query", false, jsonSchema(pageQuery.shape.limit)),
  Since: parameterOf("since", "query", false, jsonSchema(timeRange.since)),
  Until: parameterOf("until", "query", false, jsonSchema(timeRange.until)),
  Sort: parameterOf("sort", "query", false, jsonSchema(sortOrder)),
  Tag: parameterOf("tag", "query", false, jsonSchema(tagFilter)),
  TriggeredBy: parameterOf("triggered_by", "query", false, jsonSchema(triggerFilter)),
  Cursor: parameterOf("cursor", "query", false, jsonSchema(pageQuery.shape.cursor)),
} as const;

export const parameterRef = (name: keyof typeof parameters): Json => ({
  $ref: `#/components/parameters/${name}`,
});

const errors: Readonly<Record<number, string>> = {
  304: "The representation has not changed since the ETag in If-None-Match",
  400: "The request cannot be parsed, a parameter is unknown, or a header is invalid",
  401: "The credential is missing or invalid",
  403: "Another organisation's resource, or not allowed by the role or the plan",
  404: "The resource does not exist, or the id is malformed",
  408: "The request arrived too slowly",
  409: "Not possible in this state, or the Idempotency-Key belongs to another request or to one in progress",
  410: "Deleted after the plan's retention period",
  412: "The resource has another version than If-Match",
  413: "The body is too large",
  414: "The URL, or a segment of its path, is too long",
  415: "The content type is not supported",
  422: "A field is invalid; the detail names it",
  426: "The path accepts only WebSocket connections",
  429: "A quota or a rate limit is exceeded",
  500: "A fault of the service",
  503: "The service is starting, overloaded, or one of its parts is unavailable",
};

/** The reference to the error response of a status. */
export const errorRef = (status: number): Json => ({
  $ref: `#/components/responses/${status in errors ? status : "default"}`,
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

const withoutBody = (description: string): Json => ({
  description,
  headers: { "X-Request-Id": headerRef("Id"), "X-Log-Position": headerRef("Position") },
});

export const responses: Json = {
  202: withoutBody("Accepted, without a body"),
  204: withoutBody("Done, without a body"),
  default: errorResponse("Error"),
  ...Object.fromEntries(
    Object.entries(errors).map(([status, description]) => [
      status,
      status === "304"
        ? { description, headers: { ETag: headerRef("ETag") } }
        : errorResponse(description, headersOf(Number(status))),
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
