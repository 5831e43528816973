import { TOMBSTONE } from "./records.ts";

/** The limits that a stream's metadata sets for reads. */
export type StreamRules = {
  /** Events before this revision are hidden. TOMBSTONE hides all events: the stream is soft-deleted. */
  readonly truncateBefore: number;
  /** The number of newest events that are shown. */
  readonly maxCount: number;
  /** Events older than this are hidden, in milliseconds. */
  readonly maxAgeMs: number;
};

/** The rules of a stream without metadata or with invalid metadata. */
export const NO_RULES: StreamRules = {
  truncateBefore: 0,
  maxCount: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
};

/** The rules of a metadata stream: only its last event is shown. */
export const METASTREAM_RULES: StreamRules = { ...NO_RULES, maxCount: 1 };

/** The largest revision, which is the `$tb` of a soft-deleted stream. */
export const LARGEST = "9223372036854775807";
const LARGEST_LONG = BigInt(LARGEST);

/** The maximum of .NET's TimeSpan in seconds. Metadata with a longer `$maxAge` is invalid. */
const LONGEST_AGE_S = 922_337_203_685;

const META_PREFIX = "$$";

/** Whether a stream is a metadata stream. */
export const isMetastream = (stream: string): boolean => stream.startsWith(META_PREFIX);

/** The stream that holds a stream's metadata. */
export const metastreamOf = (stream: string): string => META_PREFIX + stream;

/** The stream that a metadata stream belongs to. */
export const originalStreamOf = (metastream: string): string =>
  metastream.slice(META_PREFIX.length);

/**
 * Parses the newest event of a metadata stream, as EventStoreDB's StreamMetadata does. The event's type is
 * not checked. If the event is not JSON or a rule is not an integer, NO_RULES apply. A rule out of range
 * is ignored.
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
    truncateBefore:
      truncateBefore !== undefined && truncateBefore > 0 ? toRevision(truncateBefore) : 0,
    maxCount: maxCount !== undefined && maxCount > 0 ? toRevision(maxCount) : NO_RULES.maxCount,
    maxAgeMs: maxAge !== undefined && maxAge > 0 ? Number(maxAge) * 1_000 : NO_RULES.maxAgeMs,
  };
};

/** Whether the rules hide all events. */
export const isSoftDeleted = (rules: StreamRules): boolean => rules.truncateBefore === TOMBSTONE;

/** The metadata that a soft deletion writes. It replaces existing metadata, as in EventStoreDB. */
export const deletedMetadata = (): Uint8Array => Buffer.from(`{"$tb":${LARGEST}}`);

/**
 * The metadata that makes a soft-deleted stream visible again from `revision` on: the existing metadata
 * with another `$tb`. null if the existing metadata is not a JSON object: then it hides nothing.
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

/** Parses an integer literal; null if .NET would not parse it as a 64-bit number. */
const readLong = (literal: string): bigint | null => {
  if (!/^-?\d+$/.test(literal)) return null;
  const value = BigInt(literal);
  return value > LARGEST_LONG || value < -LARGEST_LONG - 1n ? null : value;
};

/** Converts to a safe integer. Only the largest 64-bit number becomes TOMBSTONE. */
const toRevision = (value: bigint): number =>
  value === LARGEST_LONG ? TOMBSTONE : Number(value < TOMBSTONE ? value : TOMBSTONE - 1);

const isBoolean = (literal: string | undefined): boolean =>
  literal === undefined || literal === "true" || literal === "false";

const ROLES = new Set(["$r", "$w", "$d", "$mr", "$mw"]);

/** Whether an access list has a valid form. Otherwise all of the metadata is invalid. */
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
 * The properties of a JSON object with the literals of their values: JSON.parse would round large numbers.
 * null if the value is not an object. Throws if the text is not JSON.
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
