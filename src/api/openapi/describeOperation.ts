import type { z } from "zod";
import {
  type AuthMode,
  type BinaryResponse,
  isList,
  type Operation,
  takesIdempotencyKey,
} from "../operation.ts";
import { inlineSchema, type Json, jsonSchema } from "./jsonSchema.ts";
import { errorRef, headerRef, parameterOf, parameterRef, parameters } from "./shared.ts";

/** Webhook bodies are parsed after their signature is verified. */
const signedBody: Json = {
  required: true,
  content: { "application/json": { schema: { type: "object", additionalProperties: true } } },
};

export const describeOperation = (operation: Operation, components: Json): Json => {
  const responses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = describeResponse(Number(status), response, operation, components);
  }
  for (const status of errorStatusesOf(operation)) {
    responses[status] ??= errorRef(status);
  }
  const parameters = parametersOf(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    security: security[operation.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body ? { requestBody: requestBody(operation.body, operation, components) } : {}),
    ...(operation.rawBody ? { requestBody: signedBody } : {}),
    responses,
  };
};

/** The further description of an operation, and its callers. */
const descriptionOf = ({ description, auth, permission }: Operation): string => {
  const access = permission === null ? `${callers[auth]}.` : `${callers[auth]} with ${permission}.`;
  return description === undefined ? access : `${description} ${access}`;
};

const callers: Readonly<Record<AuthMode, string>> = {
  none: "Everyone",
  member: "Sessions and API keys",
  organization: "Sessions and API keys of the organisation",
  session: "Sessions",
  admin: "Sessions of service administrators",
  apiKey: "API keys",
  download: "Sessions, API keys and the refresh cookie",
  refreshCookie: "The refresh cookie",
};

/** The error statuses of an operation: the common ones and its own. */
export const errorStatusesOf = (operation: Operation): readonly number[] => {
  const statuses = new Set([400, 414, 429, 500, 503, ...(operation.errors ?? [])]);
  if (operation.auth !== "none") statuses.add(401);
  if (operation.permission !== null || operation.auth !== "none") statuses.add(403);
  if (operation.params) statuses.add(404);
  // Every method but GET may carry a body, which is read and checked even where none is expected.
  if (operation.method !== "GET") for (const status of [408, 413, 415]) statuses.add(status);
  if (operation.body || operation.query || operation.later) statuses.add(422);
  if (isList(operation)) statuses.add(304);
  if (operation.ifMatch) statuses.add(412);
  if (takesIdempotencyKey(operation)) statuses.add(409);
  return [...statuses].sort((a, b) => a - b);
};

/** The example of a response. An operation with 202 and another status has a separate example for 202. */
export const exampleOf = ({ example, responses }: Operation, status: number): unknown =>
  status === 202 && Object.keys(responses).length > 1 && example?.accepted !== undefined
    ? example.accepted
    : example?.response;

const describeResponse = (
  status: number,
  response: z.ZodType | BinaryResponse | null,
  operation: Operation,
  components: Json,
): Json => {
  const headers = responseHeaders(operation, status, response);
  if (status === 302) {
    return { description: "Redirect", headers: { ...headers, Location: headerRef("Location") } };
  }
  if (response === null) return { $ref: `#/components/responses/${status}` };
  if (!("_zod" in response)) {
    return {
      description: response.description,
      headers: { ...headers, "Content-Disposition": headerRef("ContentDisposition") },
      content: {
        [response.contentType]: {
          schema: response.schema
            ? jsonSchema(response.schema, components)
            : { type: "string", format: "binary" },
        },
      },
    };
  }
  const schema = jsonSchema(response, components);
  const example = exampleOf(operation, status);
  const isShared = example === undefined || isExampleOf(schema, example, components);
  return {
    description: status === 202 ? "Accepted" : status === 201 ? "Created" : "OK",
    headers,
    content: { "application/json": { schema, ...(isShared ? {} : { example }) } },
  };
};

/**
 * Whether the component that `schema` refers to, or that of the items of a page, shows an example. The first example of
 * a component becomes its own.
 */
const isExampleOf = (schema: Json, example: unknown, components: Json): boolean => {
  const { $ref, properties } = schema as { $ref?: string; properties?: { items?: Json } };
  if ($ref === undefined) {
    const item = properties?.items?.items as Json | undefined;
    const [only, ...others] = (example as { items?: unknown[] } | null)?.items ?? [];
    return item !== undefined && others.length === 0 && isExampleOf(item, only, components);
  }
  const component = components[$ref.slice($ref.lastIndexOf("/") + 1)] as Json;
  component.examples ??= [example];
  return true;
};

const responseHeaders = (
  operation: Operation,
  status: number,
  response: z.ZodType | BinaryResponse | null,
): Json => ({
  "X-Request-Id": headerRef("Id"),
  ...(isVersioned(response) || (isList(operation) && status === 200)
    ? { ETag: headerRef("ETag") }
    : {}),
  ...(operation.method === "GET" || status >= 300
    ? {}
    : { "X-Log-Position": headerRef("Position") }),
});

/** A response with a `version` field carries it as `ETag` too. */
const isVersioned = (response: z.ZodType | BinaryResponse | null): boolean => {
  if (response === null || !("_zod" in response)) return false;
  const { properties = {} } = inlineSchema(response) as { properties?: Json };
  return "version" in properties;
};

const requestBody = (body: z.ZodType, operation: Operation, components: Json): Json => {
  const example = operation.example?.body;
  const json = {
    "application/json": {
      schema: withoutFiles(jsonSchema(body, components)),
      ...(example === undefined ? {} : { example }),
    },
  };
  const { multipart } = operation;
  return {
    required: !body.safeParse(undefined).success,
    content: {
      ...(multipart?.only || multipart?.types?.includes("application/json") ? {} : json),
      ...Object.fromEntries(
        (multipart?.types ?? []).map((type) => [
          type,
          { schema: { type: "string", format: "binary" } },
        ]),
      ),
      ...(multipart
        ? { "multipart/form-data": { schema: withFiles(jsonSchema(body, components)) } }
        : {}),
    },
  };
};

type Body = { readonly properties?: Record<string, Json>; readonly anyOf?: readonly Json[] };

const isFile = (field: Json): boolean => field.format === "binary";

const hasFile = (schema: Json): boolean =>
  Object.values((schema as Body).properties ?? {}).some(isFile);

/** The JSON form of a multipart body, which has no file fields. */
const withoutFiles = (schema: Json): Json => {
  const { properties, anyOf } = schema as Body;
  if (anyOf?.some(hasFile)) return variant(schema, (one) => !hasFile(one));
  if (!properties) return schema;
  const fields = Object.entries(properties).filter(([, field]) => !isFile(field));
  return { ...schema, properties: Object.fromEntries(fields) };
};

/** The form of a multipart body: of several variants those with a file. */
const withFiles = (schema: Json): Json =>
  (schema as Body).anyOf?.some(hasFile) ? variant(schema, hasFile) : schema;

/** The only variant that fits, or all that do. */
const variant = ({ anyOf, ...schema }: Json, fits: (one: Json) => boolean): Json => {
  const [only, ...others] = (anyOf as readonly Json[]).filter(fits);
  return others.length === 0 ? { ...only, ...schema } : { anyOf: [only, ...others], ...schema };
};

const parametersOf = (operation: Operation): Json[] => [
  ...(operation.params ? fieldsOf(operation.params, "path") : []),
  ...(operation.query ? fieldsOf(operation.query, "query") : []),
  ...(["member", "organization", "download"].includes(operation.auth)
    ? [parameterRef("OrganizationId")]
    : []),
  ...(operation.ifMatch ? [parameterRef("IfMatch")] : []),
  ...(takesIdempotencyKey(operation) ? [parameterRef("IdempotencyKey")] : []),
  ...(operation.method === "GET" && operation.auth !== "none" ? [parameterRef("MinPosition")] : []),
];

const fieldsOf = (schema: z.ZodType, place: "path" | "query"): Json[] => {
  const { properties = {}, required = [] } = jsonSchema(schema, {}, place) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = place === "path" || required.includes(name);
    const parameter = parameterOf(name, place, isRequired, property);
    return sharedParameterOf(parameter) ?? parameter;
  });
};

const SHARED_PARAMETERS = [
  "Id",
  "ExecutionId",
  "StepId",
  "EnvironmentId",
  "Browser",
  "Limit",
  "Cursor",
  "Since",
  "Until",
  "Sort",
  "Tag",
  "TriggeredBy",
] as const;

/** Parameters of many operations are components. One that differs in any detail is not. */
const sharedParameterOf = (parameter: Json): Json | null => {
  const text = JSON.stringify(parameter);
  const found = SHARED_PARAMETERS.find((name) => JSON.stringify(parameters[name]) === text);
  return found === undefined ? null : parameterRef(found);
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
