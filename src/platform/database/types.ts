import pg from "pg";

const INT8 = 20;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const DATE = 1082;

/** Parses a 64-bit integer in decimal. Throws if the text is not one. */
export const parsePosition = (text: string): bigint => {
  if (!/^-?\d{1,20}$/.test(text)) throw new Error(`Not a 64-bit integer: ${text.slice(0, 40)}`);
  return BigInt(text);
};

/**
 * Converts PostgreSQL's text of a `timestamptz` to `YYYY-MM-DDTHH:mm:ss.sssZ`. Microseconds are truncated. Throws on
 * `infinity` and on years that need a sign in ISO 8601, which the service never writes.
 */
export const parseTimestamp = (text: string): string => {
  // The fast path for UTC, which all connections use: a page of a list has hundreds of timestamps.
  if (UTC_TEXT.test(text)) {
    const milliseconds = text.slice(20, Math.min(23, text.length - 3)).padEnd(3, "0");
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`;
  }
  const match = TIMESTAMP_TEXT.exec(text);
  if (!match) throw new Error(`Not a timestamp of this service: ${text.slice(0, 60)}`);
  const [, day, time, fraction = "", offset = "+00"] = match;
  const milliseconds = fraction.slice(0, 3).padEnd(3, "0");
  if (/^[+-]00(:00)?$/.test(offset)) return `${day}T${time}.${milliseconds}Z`;
  const zone = offset.length === 3 ? `${offset}:00` : offset;
  return new Date(`${day}T${time}.${milliseconds}${zone}`).toISOString();
};

const UTC_TEXT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?\+00$/;

const TIMESTAMP_TEXT =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([+-]\d{2}(?::\d{2})?)?$/;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: parsePosition,
  [TIMESTAMPTZ]: parseTimestamp,
  [TIMESTAMP]: parseTimestamp,
  [DATE]: (text) => text,
};

/** The parsers of one pool: int8 as bigint, timestamps as ISO strings, dates as text, JSON parsed. `pg`'s global parsers stay unchanged. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    const parser = format === "binary" ? undefined : parsers[oid];
    return parser ?? pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};
