import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import {
  loadReactorCheckpoint,
  type ReactorTables,
  saveReactorCheckpoint,
} from "../kernel/reactorCheckpoints.ts";

/** Where an event stands, and what it belongs to. */
export type IndexedEvent = {
  readonly event_id: string;
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  /** The request that it came of, directly or not. */
  readonly correlation_id: string | null;
  /** The event, or the request, that it came of directly. */
  readonly causation_id: string | null;
  readonly occurred_at: string | null;
};

/** A stream: its last revision, and when something first and last happened in it. */
export type IndexedStream = {
  readonly stream: string;
  readonly revision: bigint;
  readonly first_at: string | null;
  readonly last_at: string | null;
};

/** By what else a stream is known: the id of something in it, the beginning of a key. */
export type Alias = { readonly alias: string; readonly stream: string; readonly what: string };

export type EventIndexTables = {
  event_index: IndexedEvent;
  event_index_streams: IndexedStream;
  event_index_aliases: Alias;
};

/** The name of the checkpoint of those who make it. */
export const EVENT_INDEX_CHECKPOINT = "event-index";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What PostgreSQL takes for a time without asking which. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

export type EventIndex = ReturnType<typeof eventIndex>;

/** Finds events and streams by what people have of them. Made from the log, a moment behind it. */
export const eventIndex = (database: Kysely<EventIndexTables>) => {
  const db = database;
  const checkpoints = database as unknown as Kysely<ReactorTables>;

  return {
    /** The position up to which the log is in it; null before its first event. */
    indexedTo: (): Promise<bigint | null> =>
      loadReactorCheckpoint(checkpoints, EVENT_INDEX_CHECKPOINT),

    /** Takes in events of the log, in its order, and what follows the last of them begins there. The same again changes nothing. */
    note: async (
      events: readonly RecordedEvent[],
      aliasesOf: (event: RecordedEvent) => readonly Alias[],
    ): Promise<void> => {
      const last = events.at(-1);
      if (!last) return;
      const rows = JSON.stringify(events.map(indexed));
      const aliases = events.flatMap(aliasesOf);
      await db.transaction().execute(async (trx) => {
        // What a kill takes of it is read again.
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
        await saveReactorCheckpoint(
          trx as unknown as Kysely<ReactorTables>,
          EVENT_INDEX_CHECKPOINT,
          last.position,
        );
      });
    },

    findEvent: async (id: string): Promise<IndexedEvent | null> =>
      (await db
        .selectFrom("event_index")
        .selectAll()
        .where("event_id", "=", id)
        .executeTakeFirst()) ?? null,

    /** Events that any of these caused directly, in the order of the log. */
    causedBy: (ids: readonly string[], limit: number): Promise<IndexedEvent[]> =>
      ids.length === 0
        ? Promise.resolve([])
        : db
            .selectFrom("event_index")
            .selectAll()
            .where("causation_id", "in", ids)
            .orderBy("position")
            .limit(limit)
            .execute(),

    /** The streams that a request had written to, directly or not, by its first `limit` events. */
    streamsOfRequest: async (correlationId: string, limit: number): Promise<string[]> => {
      const { rows } = await sql<{ stream: string }>`
        select stream from (
          select stream, position from event_index where correlation_id = ${correlationId}
          order by position limit ${sql.lit(limit)}
        ) as first group by stream order by min(position)`.execute(db);
      return rows.map(({ stream }) => stream);
    },

    /** Those of the streams that there are, by name. */
    findStreams: (names: readonly string[]): Promise<IndexedStream[]> =>
      names.length === 0
        ? Promise.resolve([])
        : db
            .selectFrom("event_index_streams")
            .selectAll()
            .where("stream", "in", names)
            .orderBy("stream")
            .execute(),

    /** Streams whose names begin with something, by name, after the stream `after`. */
    listStreams: (
      prefix: string,
      after: string | null,
      limit: number,
    ): Promise<IndexedStream[]> => {
      let query = db
        .selectFrom("event_index_streams")
        .selectAll()
        .where("stream", ">=", prefix)
        // The last name that can begin so: no letter sorts behind this one.
        .where("stream", "<=", `${prefix}\u{10ffff}`);
      if (after !== null) query = query.where("stream", ">", after);
      return query.orderBy("stream").limit(limit).execute();
    },

    findAliases: (alias: string): Promise<Alias[]> =>
      db.selectFrom("event_index_aliases").selectAll().where("alias", "=", alias).execute(),
  };
};

const indexed = (event: RecordedEvent) => {
  // A log that was written by others may have none, or another.
  const metadata: Readonly<Record<string, unknown>> = { ...event.metadata };
  return {
    event_id: event.id,
    position: String(event.position),
    stream: event.stream,
    revision: String(event.revision),
    type: event.type,
    correlation_id: fitting(metadata.$correlationId, UUID),
    causation_id: fitting(metadata.$causationId, UUID),
    occurred_at: fitting(metadata.occurred_at, INSTANT),
  };
};

const fitting = (value: unknown, form: RegExp): string | null =>
  typeof value === "string" && form.test(value) ? value : null;
