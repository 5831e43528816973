import type pg from "pg";
import type { StoredEvent } from "../records.ts";
import { type AllPage, readAllBackwards, readAllForwards } from "./allPages.ts";
import { createRunQuery, PAGE_BYTES, type SqlFilter } from "./queries.ts";
import {
  type Place,
  readEventsAt,
  readStreamPage,
  type StreamPage,
  type StreamRange,
} from "./streamPages.ts";

/** Reads committed events page by page. A page may be shorter than its limit before the end is reached. */
export type Reader = {
  /** Events of `$all` from `from` to `to`, both inclusive, oldest first. */
  allForwards(from: number, to: number, limit: number, filter?: SqlFilter | null): Promise<AllPage>;
  /** Events of `$all` before `before` (exclusive), newest first. */
  allBackwards(before: number, limit: number, filter?: SqlFilter | null): Promise<AllPage>;
  stream(stream: string, range: StreamRange): Promise<StreamPage>;
  eventsAt(places: readonly Place[]): Promise<readonly (StoredEvent | null)[]>;
};

/** Creates the reader of a database. Its promises reject with the errors of `pg`. */
export const createReader = (
  pool: pg.Pool,
  /** The maximum bytes of a page at present; at most PAGE_BYTES. */
  allowance: () => number = () => PAGE_BYTES,
): Reader => {
  const run = createRunQuery(pool, allowance);
  return {
    allForwards: (from, to, limit, filter = null) =>
      readAllForwards(run, [from, to], limit, filter),
    allBackwards: (before, limit, filter = null) => readAllBackwards(run, before, limit, filter),
    stream: (stream, range) => readStreamPage(run, stream, range),
    eventsAt: (places) => readEventsAt(run, places),
  };
};
