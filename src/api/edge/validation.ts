import type { z } from "zod";
import { issueMessage } from "../../domain/kernel/issueMessage.ts";
import { ApiError } from "../apiError.ts";
import type { Operation } from "../operation.ts";

/** At most this many problems are named at once. */
const MAX_PROBLEMS = 5;

/** The parts of a request as the operation's schemas read them. */
export type ValidInput = {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

/**
 * Reads params, query and body by the operation's schemas.
 * A path that does not fit names nothing that exists: 404. A field that does not fit is 422 and is named.
 */
export const validateInput = (
  operation: Operation,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): ValidInput => {
  const params = operation.params?.safeParse(input.params);
  if (params && !params.success)
    throw new ApiError(404, `There is nothing at this address: ${shortPath(params.error)}.`);
  for (const part of [input.query, input.body]) refuseLater(operation.later ?? [], part);
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

/** Problems as `field: what is wrong`, the first few. `part` names the whole where the whole is wrong. */
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

/** What the contract names and this release does not do is refused, not ignored: the caller would wait for it in vain. */
const refuseLater = (later: readonly string[], part: unknown): void => {
  if (typeof part !== "object" || part === null) return;
  const sent = later.find((field) => Object.hasOwn(part, field));
  if (sent !== undefined) throw new ApiError(422, `${sent}: is not available yet`);
};

/** Half characters and NUL are in no UTF-8 text that can be stored: found here, named, instead of failing deep below. */
const refuseUnstorable = (value: unknown, path: readonly PropertyKey[] = []): void => {
  if (typeof value === "string") {
    if (value.includes("\0")) throw unstorable(path, "contains a NUL character");
    if (/\p{Surrogate}/u.test(value)) throw unstorable(path, "contains half a character");
    return;
  }
  // The bytes of a file are none of it.
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
