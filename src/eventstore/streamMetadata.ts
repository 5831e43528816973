import { TOMBSTONE } from "./records.ts";

/** The rules that a stream's metadata sets for reading it. */
export type StreamRules = {
  /** Events before this revision are not shown; TOMBSTONE hides them all: the stream is soft-deleted. */
  readonly truncateBefore: number;
  /** So many of the newest events are shown. */
  readonly maxCount: number;
  /** Events older than this are not shown, in milliseconds. */
  readonly maxAgeMs: number;
};

/** The rules of a stream without metadata, or with metadata that EventStoreDB cannot read. */
export const NO_RULES: StreamRules = {
  truncateBefore: 0,
  maxCount: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
};

/** The rules of all metadata streams: their last event alone is shown. */
export const METASTREAM_RULES: StreamRules = { ...NO_RULES, maxCount: 1 };

/** The largest revision there is, as it stands in the metadata of a soft-deleted stream. */
export const LARGEST = "9223372036854775807";
const LARGEST_LONG = BigInt(LARGEST);

/** .NET's TimeSpan ends here, in seconds; metadata with a longer `$maxAge` counts as unreadable. */
const LONGEST_AGE_S = 922_337_203_685;

const META_PREFIX = "$$";

/** Whether a stream holds the metadata of another. */
export const isMetastream = (stream: string): boolean => stream.startsWith(META_PREFIX);

/** The stream that holds a stream's metadata. */
export const metastreamOf = (stream: string): string => META_PREFIX + stream;

/** The stream that a metadata stream is about. */
export const originalStreamOf = (metastream: string): string =>
  metastream.slice(META_PREFIX.length);

/**
 * Reads the rules from the newest event of a metadata stream, as EventStoreDB's StreamMetadata does: it
 * takes any event there, and where the event is no JSON, or a rule is no integer, none of it counts. A
 * rule that is out of range counts for nothing by itself.
 */
export const readRules = (isJson: boolean, data: Uint8Array): StreamRules => {
  if (!isJson || data.length === 0) return NO_RULES;
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
  let values: ReadonlyMap<string, string> | null;
  try {
    values = topLevel(text);
  } catch {
    return NO_RULES;
  }
  if (!values) return NO_RULES;
  const rules: Record<string, bigint> = {};
  for (const name of ["$maxCount", "$maxAge", "$tb", "$cacheControl"]) {
    const literal = values.get(name);
    if (literal === undefined) continue;
    const value = readLong(literal);
    if (value === null) return NO_RULES;
    rules[name] = value;
  }
  const { $maxCount: maxCount, $maxAge: maxAge, $tb: truncateBefore, $cacheControl } = rules;
  for (const seconds of [maxAge, $cacheControl]) {
    if (seconds !== undefined && (seconds > LONGEST_AGE_S || seconds < -LONGEST_AGE_S)) {
      return NO_RULES;
    }
  }
  if (!isAcl(values.get("$acl")) || !isBoolean(values.get("$tmp"))) return NO_RULES;
  return {
    truncateBefore: truncateBefore !== undefined && truncateBefore > 0 ? small(truncateBefore) : 0,
    maxCount: maxCount !== undefined && maxCount > 0 ? small(maxCount) : NO_RULES.maxCount,
    maxAgeMs: maxAge !== undefined && maxAge > 0 ? Number(maxAge) * 1_000 : NO_RULES.maxAgeMs,
  };
};

/** Whether the rules hide the whole stream. */
export const isSoftDeleted = (rules: StreamRules): boolean => rules.truncateBefore === TOMBSTONE;

/** The metadata that soft deletion writes. It replaces what was there, as EventStoreDB's does. */
export const deletedMetadata = (): Uint8Array => Buffer.from(`{"$tb":${LARGEST}}`);

/**
 * The metadata that makes a soft-deleted stream visible again from `revision` on: what there was, with
 * another `$tb`. null where the old is no JSON object: then nothing hides the stream any more.
 */
export const revivedMetadata = (data: Uint8Array, revision: number): Uint8Array | null => {
  try {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
    const values = topLevel(text);
    if (!values) return null;
    const properties = new Map(values).set("$tb", String(revision));
    const written = [...properties].map(([name, literal]) => `${JSON.stringify(name)}:${literal}`);
    return Buffer.from(`{${written.join(",")}}`);
  } catch {
    return null;
  }
};

/** An integer literal as a 64-bit number; null where .NET would read none. */
const readLong = (literal: string): bigint | null => {
  if (!/^-?\d+$/.test(literal)) return null;
  const value = BigInt(literal);
  return value > LARGEST_LONG || value < -LARGEST_LONG - 1n ? null : value;
};

/** As a safe integer: the largest 64-bit number becomes TOMBSTONE, and no other does. */
const small = (value: bigint): number =>
  value === LARGEST_LONG ? TOMBSTONE : Number(value < TOMBSTONE ? value : TOMBSTONE - 1);

const isBoolean = (literal: string | undefined): boolean =>
  literal === undefined || literal === "true" || literal === "false";

const ROLES = new Set(["$r", "$w", "$d", "$mr", "$mw"]);

/** Whether an access list has the form that EventStoreDB can read; other than that all of the metadata counts for nothing. */
const isAcl = (literal: string | undefined): boolean => {
  if (literal === undefined) return true;
  const acl: unknown = JSON.parse(literal);
  if (typeof acl !== "object" || acl === null || Array.isArray(acl)) return false;
  return Object.entries(acl).every(
    ([name, roles]) =>
      ROLES.has(name) &&
      (typeof roles === "string" ||
        (Array.isArray(roles) && roles.every((role) => typeof role === "string"))),
  );
};

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * The properties of a JSON object with their values as they are written: JSON.parse would round the
 * large numbers that matter here. null when it is no object; throws when it is no JSON.
 */
const topLevel = (text: string): ReadonlyMap<string, string> | null => {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  const properties = new Map<string, string>();
  let depth = 0;
  let name: string | null = null;
  let value = "";
  const finish = (): void => {
    if (name !== null) properties.set(name, value);
    name = null;
    value = "";
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const opens = token === "{" || token === "[";
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    if (depth === 0) {
      if (closes) finish();
    } else if (depth === 1 && name === null && !opens && !closes && token !== ",") {
      name = JSON.parse(token) as string;
    } else if (depth === 1 && token === ",") finish();
    else if (!(depth === 1 && token === ":")) value += token;
    if (opens) depth += 1;
  }
  return properties;
};
