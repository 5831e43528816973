import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import {
  loadReactorCheckpoint,
  type ReactorTables,
  saveReactorCheckpoint,
} from "../kernel/reactorCheckpoints.ts";

/** An event's place in the log, and its correlation and causation ids. */
export type IndexedEvent = {
  readonly event_id: string;
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  /** The request that caused it, directly or indirectly. */
  readonly correlation_id: string | null;
  /** The event or request that caused it directly. */
  readonly causation_id: string | null;
  readonly occurred_at: string | null;
};

/** A stream with its last revision and the times of its first and last events. */
export type IndexedStream = {
  readonly stream: string;
  readonly revision: bigint;
  readonly first_at: string | null;
  readonly last_at: string | null;
};

/** Another name of a stream: the id of an entity in it, or an API key's prefix. */
export type Alias = { readonly alias: string; readonly stream: string; readonly what: string };

export type EventIndexTables = {
  event_index: IndexedEvent;
  event_index_streams: IndexedStream;
  event_index_aliases: Alias;
};

export const EVENT_INDEX_CHECKPOINT = "event-index";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** An ISO 8601 time in UTC, which PostgreSQL accepts. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

export type EventIndex = ReturnType<typeof eventIndex>;

type IndexDb = Kysely<EventIndexTables>;

/** An index of the log's events, streams and aliases. It lags slightly behind the log. */
export const eventIndex = (db: IndexDb) => ({
  /** The position of the last indexed event, null if there is none. */
  indexedTo: (): Promise<bigint | null> =>
    loadReactorCheckpoint(db as unknown as Kysely<ReactorTables>, EVENT_INDEX_CHECKPOINT),
  add: (
    events: readonly RecordedEvent[],
    aliasesOf: (event: RecordedEvent) => readonly Alias[],
  ): Promise<void> => addEvents(db, events, aliasesOf),
  findEvent: async (id: string): Promise<IndexedEvent | null> =>
    (await db
      .selectFrom("event_index")
      .selectAll()
      .where("event_id", "=", id)
      .executeTakeFirst()) ?? null,
  causedBy: (ids: readonly string[], limit: number) => causedBy(db, ids, limit),
  streamsOfRequest: (correlationId: string, limit: number) =>
    streamsOfRequest(db, correlationId, limit),
  findStreams: (names: readonly string[]) => findStreams(db, names),
  listStreams: (prefix: string, after: string | null, limit: number) =>
    listStreams(db, prefix, after, limit),
  findAliases: (alias: string): Promise<Alias[]> =>
    db.selectFrom("event_index_aliases").selectAll().where("alias", "=", alias).execute(),
});

/** Indexes events in log order and moves the checkpoint to the last one. Idempotent. */
const addEvents = async (
  db: IndexDb,
  events: readonly RecordedEvent[],
  aliasesOf: (event: RecordedEvent) => readonly Alias[],
): Promise<void> => {
  const last = events.at(-1);
  if (!last) return;
  const rows = JSON.stringify(events.map(indexed));
  const aliases = events.flatMap(aliasesOf);
  await db.transaction().execute(async (trx) => {
    // A crash may lose the transaction: its events are indexed again.
    await sql`set local synchronous_commit = off`.execute(trx);
    await sql`${prepared}
      with rows as materialized (
        select * from json_populate_recordset(null::event_index, ${rows}::json)
      ), streams as (
        insert into event_index_streams as s
        select stream, max(revision), min(occurred_at), max(occurred_at) from rows
        group by stream order by stream
        on conflict (stream) do update set
          revision = greatest(s.revision, excluded.revision),
          last_at = greatest(s.last_at, excluded.last_at)
      )
      insert into event_index select * from rows on conflict do nothing`.execute(trx);
    if (aliases.length > 0) {
      await sql`${prepared}
        insert into event_index_aliases
        select * from json_populate_recordset(null::event_index_aliases, ${JSON.stringify(aliases)}::json)
        on conflict do nothing`.execute(trx);
    }
    const checkpoints = trx as unknown as Kysely<ReactorTables>;
    await saveReactorCheckpoint(checkpoints, EVENT_INDEX_CHECKPOINT, last.position);
  });
};

/** Events that any of these events caused directly, in log order. */
const causedBy = (db: IndexDb, ids: readonly string[], limit: number): Promise<IndexedEvent[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("event_index")
        .selectAll()
        .where("causation_id", "in", ids)
        .orderBy("position")
        .limit(limit)
        .execute();

/** The streams of the first `limit` events of a request, in log order. */
const streamsOfRequest = async (
  db: IndexDb,
  correlationId: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ stream: string }>`
    select stream from (
      select stream, position from event_index where correlation_id = ${correlationId}
      order by position limit ${sql.lit(limit)}
    ) as first group by stream order by min(position)`.execute(db);
  return rows.map(({ stream }) => stream);
};

/** The existing streams among these names, sorted by name. */
const findStreams = (db: IndexDb, names: readonly string[]): Promise<IndexedStream[]> =>
  names.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("event_index_streams")
        .selectAll()
        .where("stream", "in", names)
        .orderBy("stream")
        .execute();

/** Streams whose names start with `prefix`, sorted by name, after the stream `after`. */
const listStreams = (
  db: IndexDb,
  prefix: string,
  after: string | null,
  limit: number,
): Promise<IndexedStream[]> => {
  let query = db
    .selectFrom("event_index_streams")
    .selectAll()
    .where("stream", ">=", prefix)
    // No character sorts after U+10FFFF.
    .where("stream", "<=", `${prefix}\u{10ffff}`);
  if (after !== null) query = query.where("stream", ">", after);
  return query.orderBy("stream").limit(limit).execute();
};

const indexed = (event: RecordedEvent) => {
  // Events written by other programs may lack these fields.
  const metadata: Readonly<Record<string, unknown>> = { ...event.metadata };
  return {
    event_id: event.id,
    position: String(event.position),
    stream: event.stream,
    revision: String(event.revision),
    type: event.type,
    correlation_id: matching(metadata.$correlationId, UUID),
    causation_id: matching(metadata.$causationId, UUID),
    occurred_at: matching(metadata.occurred_at, INSTANT),
  };
};

const matching = (value: unknown, pattern: RegExp): string | null =>
  typeof value === "string" && pattern.test(value) ? value : null;
