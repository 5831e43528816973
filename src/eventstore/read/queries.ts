import type pg from "pg";
import type { StoredEvent } from "../records.ts";

/** Limits of one page: its number of events and, after the first event, its bytes of payload. */
export const PAGE_EVENTS = 1_000;
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A filter as an SQL condition, so that the database sends only matching rows. */
export type SqlFilter = {
  /** Part of the name of the prepared statement: equal for conditions with equal text. */
  readonly name: string;
  /** The condition's text. `parameter` is the placeholder of the value, for example "$5". */
  condition(parameter: string): string;
  readonly value: string | readonly string[];
};

/** A row of `eventstore.events`. */
export type EventRow = {
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

/** The same row in `rowMode: "array"`, in the order of COLUMNS. */
export type EventValues = [
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

export const COLUMNS = "position, stream, revision, id, type, is_json, created, data, metadata";

/**
 * The text of a query for one page. `limit` and `bytes` are parameter numbers. `octet_length` does not
 * decompress payloads, so an oversized page is cut before it is sent.
 */
export const pageQuery = (where: string, order: string, limit: number, bytes: number): string =>
  `SELECT ${COLUMNS} FROM (
     SELECT *, sum(octet_length(data) + octet_length(metadata))
                 OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
               - octet_length(data) - octet_length(metadata) AS bytes_before
     FROM (SELECT * FROM eventstore.events WHERE ${where} ORDER BY ${order} LIMIT $${limit}) p
   ) sized WHERE bytes_before < $${bytes} ORDER BY ${order}`;

/** Runs one query on a pooled connection. Rejects with the error of `pg`. */
export type RunQuery = <Result extends pg.QueryResultRow>(
  query: (pageBytes: number) => pg.QueryConfig | pg.QueryArrayConfig,
) => Promise<{ readonly rows: Result[]; readonly pageBytes: number }>;

/** `allowance`: the maximum bytes of a page at present, evaluated for each query; at most PAGE_BYTES. */
export const createRunQuery =
  (pool: pg.Pool, allowance: () => number): RunQuery =>
  async <Result extends pg.QueryResultRow>(
    query: (pageBytes: number) => pg.QueryConfig | pg.QueryArrayConfig,
  ) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      // Evaluated after the wait for a connection: readers served meanwhile may hold a page each.
      const pageBytes = Math.floor(Math.min(PAGE_BYTES, allowance()));
      const { rows } = await client.query<Result>(query(pageBytes));
      return { rows, pageBytes };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // After an error or a timeout the connection may be dead: it is closed instead of reused.
      client.release(failure);
    }
  };

export const toEvent = (row: EventRow): StoredEvent => ({
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

export const toEventFromValues = (values: EventValues): StoredEvent => ({
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
