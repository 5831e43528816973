/** The longest that is believed of a test or a run: 20 days, in milliseconds. */
const MAX_MS = 20 * 86_400_000;
/** Earlier dates are invalid: the report formats did not exist. */
const FIRST_YEAR = 2000;

/** Parses a duration in seconds (`1.5`, `1,234.5`, `0,25`) to milliseconds; null if it is invalid. */
export const secondsIn = (text: string | undefined): number | null => {
  const trimmed = text?.trim() ?? "";
  if (/^\d+(\.\d*)?(e[+-]?\d+)?$/i.test(trimmed)) return believed(Number(trimmed) * 1_000);
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(trimmed)) {
    return believed(Number(trimmed.replaceAll(",", "")) * 1_000);
  }
  if (/^\d+,\d+$/.test(trimmed)) return believed(Number(trimmed.replace(",", ".")) * 1_000);
  return null;
};

/** Parses a number of milliseconds; null if it is invalid or impossible. */
export const believed = (ms: unknown): number | null =>
  typeof ms === "number" && ms >= 0 && ms <= MAX_MS ? Math.round(ms) : null;

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)[T ]\s*(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

/** Parses a time of a report to ISO 8601; a time without a zone is UTC. Null if it is invalid. */
export const instantIn = (text: unknown): string | null => {
  if (typeof text !== "string") return null;
  const found = INSTANT.exec(text.trim());
  if (!found) return null;
  const [, year, month, day, hour, minute, second = "00", fraction = "", zone = "Z"] = found;
  const offset = /^z$/i.test(zone) ? "Z" : zone.replace(/^(...):?(..)$/, "$1:$2");
  const ms = fraction.padEnd(3, "0").slice(0, 3);
  const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${offset}`);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < FIRST_YEAR) return null;
  // A day that the month does not have is carried over into the next one: that is no time.
  const asIs = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  return asIs.getUTCDate() === Number(day) && at.getUTCFullYear() <= 9998 ? at.toISOString() : null;
};

/** The earlier of two times; null is none. */
export const earlier = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one;

/** A time and some milliseconds. */
export const after = (at: string, ms: number): string =>
  new Date(Date.parse(at) + ms).toISOString();
