import { z } from "zod";
import {
  type AuthMode,
  type BinaryResponse,
  type Operation,
  type Tag,
  takesIdempotencyKey,
} from "./operation.ts";
import { errorBody } from "./schemas.ts";

type Json = Record<string, unknown>;

/** The description of the running service, OpenAPI 3.1, from the objects that validate and serialise. Pure: the same operations give the same document. */
export const buildOpenApi = (
  operations: readonly Operation[],
  /** All of them, where they were described piece by piece. */
  described: readonly DescribedPaths[] = [describePaths(operations)],
): Json => {
  const paths: Record<string, Json> = {};
  for (const [path, methods] of described.flatMap(Object.entries)) {
    paths[path] = { ...paths[path], ...methods };
  }
  const used = new Set(operations.map((operation) => operation.tag));
  return {
    openapi: "3.1.0",
    info: {
      title: "Runledger",
      version: "1.0.0",
      description:
        "Browser tests in plain English, run in real browsers. Schemas are stable within /api/v1.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      securitySchemes,
      schemas: { Error: jsonSchema(errorBody) },
      responses: { Error: errorResponse },
    },
  };
};

type DescribedPaths = Readonly<Record<string, Json>>;

/** The part of the description that is about these operations. */
export const describePaths = (operations: readonly Operation[]): DescribedPaths => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = `/api/v1${operation.path}`;
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation),
    };
  }
  return paths;
};

/** What comes is read once its signature is verified. */
const signedBody: Json = {
  required: true,
  content: { "application/json": { schema: { type: "object", additionalProperties: true } } },
};

const describeOperation = (operation: Operation): Json => {
  const responses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = describeResponse(Number(status), response, operation);
  }
  for (const status of errorStatusesOf(operation)) {
    responses[status] ??= {
      ...errorResponse,
      description: reasons[status] ?? "Error",
      ...(status === 401 ? { headers: { "WWW-Authenticate": header("Bearer") } } : {}),
      ...(status === 429 || status === 503
        ? { headers: { "Retry-After": header("Seconds to wait") } }
        : {}),
    };
  }
  const parameters = parametersOf(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    security: security[operation.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body ? { requestBody: requestBody(operation.body, operation) } : {}),
    ...(operation.rawBody ? { requestBody: signedBody } : {}),
    responses,
  };
};

/** Every status by which an operation may refuse: what every operation can, and what it names itself. */
export const errorStatusesOf = (operation: Operation): readonly number[] => {
  const statuses = new Set([400, 414, 429, 500, 503, ...(operation.errors ?? [])]);
  if (operation.auth !== "none") statuses.add(401);
  if (operation.permission !== null || operation.auth !== "none") statuses.add(403);
  if (operation.params) statuses.add(404);
  // A body that nobody asked for is read all the same, and refused where it cannot be.
  if (operation.method !== "GET") for (const status of [408, 413, 415]) statuses.add(status);
  if (operation.body || operation.query || operation.later) statuses.add(422);
  if (operation.ifMatch) statuses.add(412);
  if (takesIdempotencyKey(operation)) statuses.add(409);
  return [...statuses].sort((a, b) => a - b);
};

const reasons: Readonly<Record<number, string>> = {
  400: "Not parsable, or a header that makes no sense",
  401: "No credential, or a bad one",
  403: "Not yours, not your role, or not in your plan",
  404: "Unknown, or a malformed id",
  408: "Too slow",
  409: "Not possible in this state; or the first request with this Idempotency-Key is under way, or was another",
  410: "Deleted: the plan keeps it no longer",
  412: "Stale: the version is another",
  413: "Too large",
  414: "The URL, or a part of the path, is too long",
  415: "Not application/json",
  422: "A bad field, which is named",
  426: "Upgrade required",
  429: "Quota or rate exceeded",
  500: "A fault of the service",
  503: "Not ready, overloaded, or a part down",
};

/** The example of an answer: 202 beside another status has one of its own. */
export const exampleOf = ({ example, responses }: Operation, status: number): unknown =>
  status === 202 && Object.keys(responses).length > 1 && example?.accepted !== undefined
    ? example.accepted
    : example?.response;

const describeResponse = (
  status: number,
  response: z.ZodType | BinaryResponse | null,
  operation: Operation,
): Json => {
  const headers = responseHeaders(operation, status, response);
  if (status === 302) {
    const location = header("Where the browser goes on to");
    return { description: "Elsewhere", headers: { ...headers, Location: location } };
  }
  if (response === null) return { description: "Done; no body", headers };
  if (!("_zod" in response)) {
    return {
      description: response.description,
      headers: { ...headers, "Content-Disposition": header("The file's name") },
      content: { [response.contentType]: { schema: { type: "string", format: "binary" } } },
    };
  }
  const example = exampleOf(operation, status);
  return {
    description: status === 202 ? "Accepted" : status === 201 ? "Created" : "OK",
    headers,
    content: {
      "application/json": {
        schema: jsonSchema(response),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
};

const responseHeaders = (
  operation: Operation,
  status: number,
  response: z.ZodType | BinaryResponse | null,
): Json => ({
  "X-Request-Id": header("Names this call in the service's log"),
  ...(isVersioned(response) ? { ETag: header("The version, in quotes: for If-Match") } : {}),
  ...(operation.method === "GET" || status >= 300
    ? {}
    : { "X-Log-Position": header("Where in the log this was written: for X-Min-Position") }),
});

/** What has a version says it in `ETag` too. */
const isVersioned = (response: z.ZodType | BinaryResponse | null): boolean => {
  if (response === null || !("_zod" in response)) return false;
  const { properties = {} } = jsonSchema(response) as { properties?: Json };
  return "version" in properties;
};

const header = (description: string): Json => ({ description, schema: { type: "string" } });

const requestBody = (body: z.ZodType, operation: Operation): Json => {
  const example = operation.example?.body;
  const json = {
    "application/json": {
      schema: withoutFiles(jsonSchema(body)),
      ...(example === undefined ? {} : { example }),
    },
  };
  const { multipart } = operation;
  return {
    required: !body.safeParse(undefined).success,
    content: {
      ...(multipart?.only || multipart?.types ? {} : json),
      ...Object.fromEntries(
        (multipart?.types ?? []).map((type) => [
          type,
          { schema: { type: "string", format: "binary" } },
        ]),
      ),
      ...(multipart ? { "multipart/form-data": { schema: jsonSchema(body) } } : {}),
    },
  };
};

/** In JSON there is no file. */
const withoutFiles = (schema: Json): Json => {
  const { properties } = schema as { properties?: Record<string, Json> };
  if (!properties) return schema;
  const fields = Object.entries(properties).filter(([, field]) => field.format !== "binary");
  return { ...schema, properties: Object.fromEntries(fields) };
};

const parametersOf = (operation: Operation): Json[] => [
  ...(operation.params ? fieldsOf(operation.params, "path") : []),
  ...(operation.query ? fieldsOf(operation.query, "query") : []),
  ...(["member", "organization", "download"].includes(operation.auth)
    ? [
        headerParameter("X-Org-Id", "With a session: the organisation that the call is about", {
          type: "string",
          format: "uuid",
        }),
      ]
    : []),
  ...(operation.ifMatch
    ? [
        headerParameter(
          "If-Match",
          'The ETag that the change is based on, such as "3"; another version is answered 412. Several with commas between; * is any version',
          { type: "string" },
        ),
      ]
    : []),
  ...(takesIdempotencyKey(operation)
    ? [
        headerParameter(
          "Idempotency-Key",
          "Names this request, for 24 hours: the same request with the same key is done once, and gets the first answer again",
          { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
        ),
      ]
    : []),
  ...(operation.method === "GET" && operation.auth !== "none"
    ? [
        headerParameter("X-Min-Position", "Wait until the read models have come this far", {
          type: "string",
        }),
      ]
    : []),
];

const headerParameter = (name: string, description: string, schema: Json): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema,
});

const fieldsOf = (schema: z.ZodType, place: "path" | "query"): Json[] => {
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
};

const jsonSchema = (schema: z.ZodType): Json => {
  // A file of a form says itself what it is.
  const options = { io: "input", unrepresentable: "any" } as const;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options) as Json;
  return rest;
};

const errorResponse: Json = {
  description: "Error",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const securitySchemes: Json = {
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
    description: "An API key; it is of one organisation.",
  },
  refreshCookie: { type: "apiKey", in: "cookie", name: "refresh_token" },
};

const security: Readonly<Record<AuthMode, readonly Json[]>> = {
  none: [],
  member: [{ session: [] }, { apiKey: [] }],
  organization: [{ session: [] }, { apiKey: [] }],
  session: [{ session: [] }],
  admin: [{ session: [] }],
  apiKey: [{ apiKey: [] }],
  download: [{ session: [] }, { apiKey: [] }, { refreshCookie: [] }],
  refreshCookie: [{ refreshCookie: [] }],
};

/** The spec's tag map, in its order, as far as there are operations. */
const tags: readonly { readonly name: Tag; readonly description: string }[] = [
  { name: "Authentication", description: "E-mail and password: sign-up, login, refresh" },
  {
    name: "Settings",
    description: "Per-user settings; bringing one's own key is turned off by default",
  },
  { name: "OAuth", description: "Start and callback for two external identity providers" },
  { name: "Sessions", description: "Active-session list and revocation" },
  { name: "Email Verification", description: "Request and confirm verification of an address" },
  { name: "Tests", description: "Create, read, update, delete tests" },
  { name: "Test Steps", description: "Read and replace the steps of a test" },
  { name: "Projects", description: "Project containers" },
  { name: "Folders", description: "The folders of a project: a tree" },
  { name: "Tags", description: "Tags, and which tests carry them" },
  { name: "Test Sets", description: "Tests that are run together, in order" },
  { name: "Test Set Items", description: "The tests of a test set" },
  { name: "Parse", description: "Translate plain English into structured steps" },
  { name: "Import", description: "Create tests from files" },
  { name: "Export", description: "Export a test as YAML, bundle file, or Playwright Python" },
  { name: "Test Export", description: "What an execution ran, as a file" },
  { name: "Executions", description: "Past run details, per-browser results" },
  { name: "Runner", description: "Cloud run dispatch and control" },
  { name: "Runs", description: "Run lifecycle" },
  { name: "Screenshots", description: "Read step screenshots" },
  { name: "Baselines", description: "Manage visual baselines per step and browser" },
  { name: "Reports", description: "Run reports" },
  { name: "Schedules", description: "Scheduled runs" },
  { name: "Notifications", description: "Contacts and preferences" },
  { name: "Organizations", description: "Organisations and their settings" },
  { name: "Members", description: "Who belongs to an organisation, and in which role" },
  { name: "Invites", description: "Invite and accept" },
  { name: "API Keys", description: "Create, list, revoke keys" },
  { name: "CLI", description: "Endpoints for the runner binary (API-key authentication)" },
  { name: "Plan", description: "Read the current plan; cancel scheduled changes" },
  { name: "PlanChange", description: "Create, confirm, schedule, apply plan changes" },
  { name: "Catalog", description: "Public plan catalog, no authentication" },
  { name: "Entitlements", description: "Computed capabilities of the current organisation" },
  { name: "Connection", description: "Connection-status checks" },
  { name: "Usage", description: "Counters and quota readouts of an organisation" },
  { name: "Dashboard", description: "How an organisation's tests stand; quarantine" },
  { name: "Admin", description: "For those who look after the service" },
  { name: "Health", description: "Whether the service lives and is ready" },
];
