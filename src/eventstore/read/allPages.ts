import type { StoredEvent } from "../records.ts";
import {
  type EventValues,
  PAGE_EVENTS,
  pageQuery,
  type RunQuery,
  type SqlFilter,
  toEventFromValues,
} from "./queries.ts";

/** Positions of `$all` that one filtered query scans. */
const FILTER_WINDOW = 20_000;

/** A page of `$all`. */
export type AllPage = {
  readonly events: readonly StoredEvent[];
  /** The last position that was scanned: the highest one forwards, the lowest one backwards. */
  readonly considered: number;
};

/** Reads events of `$all` from `from` to `to`, both inclusive, oldest first. */
export const readAllForwards = async (
  run: RunQuery,
  [from, to]: readonly [number, number],
  limit: number,
  filter: SqlFilter | null,
): Promise<AllPage> => {
  if (from > to) return { events: [], considered: to };
  const end = filter ? Math.min(to, from + FILTER_WINDOW - 1) : to;
  return readPage(run, { name: "allForwards", from, to: end, end }, limit, filter);
};

/** Reads events of `$all` before `before` (exclusive), newest first. */
export const readAllBackwards = async (
  run: RunQuery,
  before: number,
  limit: number,
  filter: SqlFilter | null,
): Promise<AllPage> => {
  if (before <= 1) return { events: [], considered: 1 };
  const end = filter ? Math.max(1, before - FILTER_WINDOW) : 1;
  return readPage(run, { name: "allBackwards", from: end, to: before - 1, end }, limit, filter);
};

const readPage = async (
  run: RunQuery,
  range: {
    readonly name: "allForwards" | "allBackwards";
    readonly from: number;
    readonly to: number;
    /** The last position in the direction of the read. */
    readonly end: number;
  },
  limit: number,
  filter: SqlFilter | null,
): Promise<AllPage> => {
  const { name, from, to, end } = range;
  const order = name === "allForwards" ? "position" : "position DESC";
  const where = `position BETWEEN $1 AND $2${filter ? ` AND ${filter.condition("$5")}` : ""}`;
  const most = Math.min(limit, PAGE_EVENTS);
  const { rows, pageBytes } = await run<EventValues>((bytes) => ({
    name: filter ? `${name} ${filter.name}` : name,
    text: pageQuery(where, order, 3, 4),
    // Row objects would cost about 10 % of a full read of `$all`.
    rowMode: "array",
    values: [from, to, most, bytes, ...(filter ? [filter.value] : [])],
  }));
  const events = rows.map(toEventFromValues);
  const last = events.at(-1)?.position;
  // A filtered page below both limits has scanned its whole window.
  const isComplete = filter !== null && events.length < most && bytesOf(events) < pageBytes;
  return { events, considered: last === undefined || isComplete ? end : last };
};

const bytesOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);
