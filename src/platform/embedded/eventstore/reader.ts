import type pg from "pg";
import type { StoredEvent } from "./records.ts";

/** A page holds at most this many events and, past its first event, about this many bytes of payload. */
const PAGE_EVENTS = 1_000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** Reads committed events page by page; a page shorter than its limit does not mean that the end is reached, an empty one does. */
export type Reader = {
  /** Events of `$all` from `from` to `to`, both inclusive, oldest first. */
  allForwards(from: number, to: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Events of `$all` before `before` (exclusive), newest first. */
  allBackwards(before: number, limit: number): Promise<readonly StoredEvent[]>;
  /** A stream's events from revision `from` to `to`, both inclusive, oldest first. */
  streamForwards(
    stream: string,
    from: number,
    to: number,
    limit: number,
  ): Promise<readonly StoredEvent[]>;
  /** A stream's events from revision `from` (inclusive) down, newest first. */
  streamBackwards(stream: string, from: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The last revision of a stream, null when there is no such stream. */
  lastRevision(stream: string): Promise<number | null>;
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

/** Makes the reader of a database. Its promises reject with what `pg` says when the database is away. */
export const createReader = (pool: pg.Pool): Reader => {
  const page = async (
    name: string,
    where: string,
    order: string,
    values: readonly (string | number)[],
    limit: number,
  ): Promise<readonly StoredEvent[]> => {
    const n = values.length;
    const { rows } = await pool.query<Row>({
      name,
      // Sizes are known without unpacking the payloads, so an overlong page is cut before it is sent.
      text: `SELECT position, stream, revision, id, type, is_json, created, data, metadata FROM (
               SELECT *, sum(octet_length(data) + octet_length(metadata))
                           OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
                         - octet_length(data) - octet_length(metadata) AS bytes_before
               FROM (SELECT * FROM eventstore.events WHERE ${where} ORDER BY ${order} LIMIT $${n + 1}) p
             ) sized WHERE bytes_before < $${n + 2} ORDER BY ${order}`,
      values: [...values, Math.min(limit, PAGE_EVENTS), PAGE_BYTES],
    });
    return rows.map(toEvent);
  };

  return {
    allForwards: (from, to, limit) =>
      page("allForwards", "position BETWEEN $1 AND $2", "position", [from, to], limit),
    allBackwards: (before, limit) =>
      page("allBackwards", "position < $1", "position DESC", [before], limit),
    streamForwards: (stream, from, to, limit) =>
      page(
        "streamForwards",
        "stream = $1 AND revision BETWEEN $2 AND $3",
        "revision",
        [stream, from, to],
        limit,
      ),
    streamBackwards: (stream, from, limit) =>
      page(
        "streamBackwards",
        "stream = $1 AND revision <= $2",
        "revision DESC",
        [stream, from],
        limit,
      ),
    lastRevision: async (stream) => {
      const { rows } = await pool.query<{ revision: string }>({
        name: "lastRevision",
        text: "SELECT revision FROM eventstore.events WHERE stream = $1 ORDER BY revision DESC LIMIT 1",
        values: [stream],
      });
      return rows[0] ? Number(rows[0].revision) : null;
    },
  };
};

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
