import type pg from "pg";
import type { SqlFilter } from "./filter.ts";
import { type StoredEvent, TOMBSTONE } from "../records.ts";
import {
  isMetastream,
  isSoftDeleted,
  METASTREAM_RULES,
  metastreamOf,
  originalStreamOf,
  readRules,
  type StreamRules,
} from "../streamMetadata.ts";

/** A page holds at most this many events and, past its first event, about this many bytes of payload. */
const PAGE_EVENTS = 1_000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** How much of `$all` one query looks through for events that a filter lets pass. */
const FILTER_WINDOW = 20_000;

/** A page of `$all`. */
export type AllPage = {
  readonly events: readonly StoredEvent[];
  /** The position up to which (backwards: down to which) everything has been looked at. */
  readonly considered: number;
};

/** How a stream is to be shown, as of one moment. */
export type StreamView = {
  /** "missing": it never was, or is soft-deleted; "deleted": it has its tombstone. */
  readonly state: "present" | "missing" | "deleted";
  /** The stream's last revision, -1 for none. */
  readonly last: number;
  /** The first revision that `$tb` and `$maxCount` show. */
  readonly first: number;
  /** Whether the metadata shows an event, also for its age. */
  shows(event: StoredEvent): boolean;
};

/** A page of a stream, without the events that its metadata hides. */
export type StreamPage = {
  /** How the stream was shown for this page: a read that goes on as of the same moment asks with it again. */
  readonly view: StreamView;
  readonly events: readonly StoredEvent[];
  /** The revision to go on at, null at the end. */
  readonly next: number | null;
};

/** Which part of a stream is read: from a revision (inclusive) to its end, or down to its start. */
export type StreamRange = {
  readonly from: number;
  readonly backwards: boolean;
  readonly limit: number;
  /** As of when an earlier page of the same read was read; left out, as of now. Nothing in the log is ever removed. */
  readonly view?: StreamView;
};

/** Reads committed events page by page; a page shorter than its limit does not mean that the end is reached. */
export type Reader = {
  /** Events of `$all` from `from` to `to`, both inclusive, oldest first. */
  allForwards(from: number, to: number, limit: number, filter?: SqlFilter | null): Promise<AllPage>;
  /** Events of `$all` before `before` (exclusive), newest first. */
  allBackwards(before: number, limit: number, filter?: SqlFilter | null): Promise<AllPage>;
  /** A part of a stream, and what is known of it, in one round trip. */
  stream(stream: string, range: StreamRange): Promise<StreamPage>;
  /** The events at these places of streams, each null where there is none to be seen. Revision -1 is a stream's last. */
  at(
    places: readonly { readonly stream: string; readonly revision: number }[],
  ): Promise<readonly (StoredEvent | null)[]>;
};

type Row = {
  position: string;
  stream: string;
  revision: string;
  id: string;
  type: string;
  is_json: boolean;
  created: string;
  data: Buffer;
  metadata: Buffer;
};

/** The columns of a row in their order. */
type Values = [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  isJson: boolean,
  created: string,
  data: Buffer,
  metadata: Buffer,
];

/** What a query says of a stream itself. `other`: of its metadata stream, or for one, of its original. */
type StateRow = {
  last: string | null;
  other_last: string | null;
  other_is_json: boolean | null;
  other_data: Buffer | null;
};

const COLUMNS = "position, stream, revision, id, type, is_json, created, data, metadata";

/** Sizes are known without unpacking the payloads, so an overlong page is cut before it is sent. */
const page = (where: string, order: string, limit: number, bytes: number): string =>
  `SELECT ${COLUMNS} FROM (
     SELECT *, sum(octet_length(data) + octet_length(metadata))
                 OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
               - octet_length(data) - octet_length(metadata) AS bytes_before
     FROM (SELECT * FROM eventstore.events WHERE ${where} ORDER BY ${order} LIMIT $${limit}) p
   ) sized WHERE bytes_before < $${bytes} ORDER BY ${order}`;

const STREAM_FORWARDS = page("stream = $1 AND revision BETWEEN $2 AND $3", "revision", 4, 5);
const STREAM_BACKWARDS = page("stream = $1 AND revision BETWEEN $3 AND $2", "revision DESC", 4, 5);

/** The state of a stream as a row in the form of an event's: it goes before the page that is asked for with it. */
const STATE_ROW = `
  SELECT o.revision AS position, NULL::text AS stream, (
           SELECT revision FROM eventstore.events WHERE stream = $1 ORDER BY revision DESC LIMIT 1
         ) AS revision, NULL::uuid AS id, NULL::text AS type, o.is_json, NULL::bigint AS created,
         CASE WHEN $7::boolean THEN o.data END AS data, NULL::bytea AS metadata
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT revision, is_json, data FROM eventstore.events
    WHERE stream = $6 ORDER BY revision DESC LIMIT 1
  ) o ON true`;

/** Makes the reader of a database. Its promises reject with what `pg` says when the database is away. */
export const createReader = (
  pool: pg.Pool,
  /** How many bytes a page may have at the moment, at most PAGE_BYTES. */
  allowance: () => number = () => PAGE_BYTES,
): Reader => {
  /** A connection on which a query failed, or was not answered in time, is never used again: it may be one that nobody serves. */
  const ask = async <Result extends pg.QueryResultRow>(
    query: (pageBytes: number) => pg.QueryConfig | pg.QueryArrayConfig,
  ): Promise<{ readonly rows: Result[]; readonly pageBytes: number }> => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      // Only now: those who had their turn before may hold a page each.
      const pageBytes = Math.floor(Math.min(PAGE_BYTES, allowance()));
      const { rows } = await client.query<Result>(query(pageBytes));
      return { rows, pageBytes };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.release(failure);
    }
  };

  const all = async (
    name: "allForwards" | "allBackwards",
    [from, to]: readonly [number, number],
    limit: number,
    filter: SqlFilter | null,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly isCut: boolean }> => {
    const order = name === "allForwards" ? "position" : "position DESC";
    const where = `position BETWEEN $1 AND $2${filter ? ` AND ${filter.condition("$5")}` : ""}`;
    const { rows, pageBytes } = await ask<Values>((bytes) => ({
      name: filter ? `${name} ${filter.name}` : name,
      text: page(where, order, 3, 4),
      // Events of `$all` come by the hundred thousand: an object for each row costs a tenth of it all.
      rowMode: "array",
      values: [from, to, Math.min(limit, PAGE_EVENTS), bytes, ...(filter ? [filter.value] : [])],
    }));
    const events = rows.map(toEventOfValues);
    return { events, isCut: bytesOf(events) >= pageBytes };
  };

  return {
    allForwards: async (from, to, limit, filter = null) => {
      if (from > to) return { events: [], considered: to };
      const end = filter ? Math.min(to, from + FILTER_WINDOW - 1) : to;
      const { events, isCut } = await all("allForwards", [from, end], limit, filter);
      const last = events.at(-1)?.position;
      const whole = filter !== null && events.length < Math.min(limit, PAGE_EVENTS);
      // A page that was cut for its bytes is short too.
      if (last === undefined || (whole && !isCut)) {
        return { events, considered: end };
      }
      return { events, considered: last };
    },
    allBackwards: async (before, limit, filter = null) => {
      if (before <= 1) return { events: [], considered: 1 };
      const end = filter ? Math.max(1, before - FILTER_WINDOW) : 1;
      const { events, isCut } = await all("allBackwards", [end, before - 1], limit, filter);
      const last = events.at(-1)?.position;
      const whole = filter !== null && events.length < Math.min(limit, PAGE_EVENTS);
      if (last === undefined || (whole && !isCut)) {
        return { events, considered: end };
      }
      return { events, considered: last };
    },

    stream: async (stream, { from, backwards, limit, view: pinned }) => {
      const metastream = isMetastream(stream);
      const { rows } = await ask<Row>((bytes) => ({
        name: backwards ? "streamBackwards" : "streamForwards",
        text: `(${STATE_ROW}) UNION ALL (${backwards ? STREAM_BACKWARDS : STREAM_FORWARDS})`,
        values: [
          stream,
          from,
          backwards ? 0 : (pinned?.last ?? TOMBSTONE),
          Math.min(limit, PAGE_EVENTS),
          bytes,
          metastream ? originalStreamOf(stream) : metastreamOf(stream),
          !metastream,
        ],
      }));
      const raw: StoredEvent[] = [];
      let view = pinned ?? NOTHING;
      for (const row of rows) {
        if (row.stream !== null) raw.push(toEvent(row));
        else if (!pinned) {
          view = readView(stream, {
            last: row.revision,
            other_last: row.position,
            other_is_json: row.is_json,
            other_data: row.data,
          });
        }
      }
      if (view.state !== "present") return { view, events: [], next: null };
      const events = raw.filter((event) => event.revision <= view.last && view.shows(event));
      const reached = raw.at(-1)?.revision;
      if (reached === undefined) return { view, events, next: null };
      if (backwards) {
        return { view, events, next: reached <= view.first ? null : reached - 1 };
      }
      return {
        view,
        events,
        next: reached >= view.last ? null : Math.max(reached + 1, view.first),
      };
    },

    at: async (places) => {
      const { rows } = await ask<Row & StateRow & { nth: number }>(() => ({
        name: "at",
        text: `SELECT wanted.nth::int, l.revision AS last,
                 o.revision AS other_last, o.is_json AS other_is_json,
                 CASE WHEN wanted.stream NOT LIKE '$$%' THEN o.data END AS other_data, e.*
               FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY
                 AS wanted(stream, revision, other, nth)
               LEFT JOIN LATERAL (
                 SELECT revision FROM eventstore.events
                 WHERE stream = wanted.stream ORDER BY revision DESC LIMIT 1
               ) l ON true
               LEFT JOIN LATERAL (
                 SELECT revision, is_json, data FROM eventstore.events
                 WHERE stream = wanted.other ORDER BY revision DESC LIMIT 1
               ) o ON true
               LEFT JOIN LATERAL (
                 SELECT ${COLUMNS} FROM eventstore.events
                 WHERE stream = wanted.stream
                   AND revision = CASE WHEN wanted.revision < 0 THEN l.revision ELSE wanted.revision END
               ) e ON true`,
        values: [
          places.map(({ stream }) => stream),
          places.map(({ revision }) => revision),
          places.map(({ stream }) =>
            isMetastream(stream) ? originalStreamOf(stream) : metastreamOf(stream),
          ),
        ],
      }));
      const found: (StoredEvent | null)[] = places.map(() => null);
      for (const row of rows) {
        const place = places[row.nth - 1];
        if (!place || row.position === null) continue;
        const view = readView(place.stream, row);
        const event = toEvent(row);
        if (view.state === "present" && view.shows(event)) found[row.nth - 1] = event;
      }
      return found;
    },
  };
};

const NOTHING: StreamView = { state: "missing", last: -1, first: 0, shows: () => false };

const readView = (stream: string, row: StateRow): StreamView => {
  const last = row.last === null ? -1 : Number(row.last);
  const metastream = isMetastream(stream);
  if (last === TOMBSTONE || (metastream && Number(row.other_last) === TOMBSTONE)) {
    return { ...NOTHING, state: "deleted", last: TOMBSTONE };
  }
  const rules: StreamRules = metastream
    ? METASTREAM_RULES
    : readRules(row.other_is_json ?? false, row.other_data ?? NO_BYTES);
  if (last < 0 || isSoftDeleted(rules)) return { ...NOTHING, last };
  const first = Math.max(0, rules.truncateBefore, last - rules.maxCount + 1);
  const oldest = Date.now() - rules.maxAgeMs;
  return {
    state: "present",
    last,
    first,
    shows: (event) => event.revision >= first && Number(event.created) / 10_000 >= oldest,
  };
};

const NO_BYTES = new Uint8Array();

const bytesOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);

const toEvent = (row: Row): StoredEvent => ({
  position: Number(row.position),
  stream: row.stream,
  revision: Number(row.revision),
  id: row.id,
  type: row.type,
  isJson: row.is_json,
  created: row.created,
  data: row.data,
  metadata: row.metadata,
});

const toEventOfValues = (values: Values): StoredEvent => ({
  position: Number(values[0]),
  stream: values[1],
  revision: Number(values[2]),
  id: values[3],
  type: values[4],
  isJson: values[5],
  created: values[6],
  data: values[7],
  metadata: values[8],
});
