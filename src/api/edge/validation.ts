import type { z } from "zod";
import { issueMessage } from "../../domain/kernel/issueMessage.ts";
import { ApiError } from "../apiError.ts";
import { isList, type Operation } from "../operation.ts";

/** Maximum of problems per message. */
const MAX_PROBLEMS = 5;

/** The parsed parts of a request. */
export type ValidInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

/**
 * Parses params, query and body with the operation's schemas. Throws ApiError 404 for malformed params, 422 with the
 * names of invalid fields.
 */
export const validateInput = (
  operation: Operation,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): ValidInput => {
  const params = operation.params?.safeParse(input.params);
  if (params && !params.success)
    throw new ApiError(404, `There is nothing at this address: ${shortPath(params.error)}.`);
  for (const part of [input.query, input.body]) refuseLater(operation.later ?? [], part);
  if (isList(operation)) refuseUnknown(operation, input.query);
  if (operation.query) refuseUnstorable(input.query);
  if (operation.body) refuseUnstorable(input.body);
  return {
    params: params?.data,
    query: operation.query && parse(operation.query, input.query, "query"),
    body: operation.body && parse(operation.body, input.body, "body"),
  };
};

const shortPath = (error: z.ZodError): string =>
  error.issues
    .map((issue) => `${issue.path.join(".")} is malformed`)
    .slice(0, 2)
    .join(", ");

const parse = (schema: z.ZodType, value: unknown, part: string): unknown => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ApiError(422, describeIssues(parsed.error, part));
};

/** The first problems as `field: message`. `part` is the name used for problems of the whole input. */
export const describeIssues = (error: z.ZodError, part: string): string => {
  const lines = error.issues.map((issue) => {
    const field = fieldName(issue.path) || part;
    return `${field}: ${issueMessage(issue)}`;
  });
  const shown = [...new Set(lines)].slice(0, MAX_PROBLEMS);
  const more = lines.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
};

const fieldName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, key) =>
      typeof key === "number" ? `${name}[${key}]` : name ? `${name}.${String(key)}` : String(key),
    "",
  );

/** Rejects unknown parameters: a list with a misspelled filter would contain every entry. */
const refuseUnknown = ({ query }: Operation, sent: unknown): void => {
  const known = Object.keys((query as z.ZodObject).shape);
  const unknown = Object.keys((sent ?? {}) as object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = unknown.slice(0, 100);
  throw new ApiError(400, `${name}: is not a parameter of this list. Use ${known.join(", ")}.`);
};

/** Rejects fields of the contract that this release does not support yet. */
const refuseLater = (later: readonly string[], part: unknown): void => {
  if (typeof part !== "object" || part === null) return;
  const sent = later.find((field) => Object.hasOwn(part, field));
  if (sent !== undefined) throw new ApiError(422, `${sent}: is not available yet`);
};

/** Rejects texts that PostgreSQL cannot store: NUL and unpaired surrogates. */
const refuseUnstorable = (value: unknown, path: readonly PropertyKey[] = []): void => {
  if (typeof value === "string") {
    if (value.includes("\0")) throw unstorable(path, "contains a NUL character");
    if (/\p{Surrogate}/u.test(value)) throw unstorable(path, "contains an unpaired surrogate");
    return;
  }
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return;
  if (path.length > MAX_DEPTH) throw new ApiError(422, "body: is nested too deeply");
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, [...path, index]);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorable(key, path);
    refuseUnstorable(item, [...path, key]);
  }
};

const MAX_DEPTH = 32;

const unstorable = (path: readonly PropertyKey[], what: string): ApiError =>
  new ApiError(422, `${fieldName(path) || "body"}: ${what}`);
