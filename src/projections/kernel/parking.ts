import { type Kysely, sql } from "kysely";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { redactError } from "../../stores/kernel/redactedError.ts";
import type { Park, Progress } from "./applyBatch.ts";
import type { KernelTables } from "./tables.ts";

type Db = Kysely<KernelTables>;

/** The consumer of parked events: `name@version` for a shown build, `name@version+build` for others. */
export const consumerOf = ({ projection, build }: Progress, isShown: boolean): string =>
  `${projection.name}@${projection.version}${isShown ? "" : `+${build}`}`;

/** Parks events with the error. An event that is parked already is unchanged. */
export const parkFor =
  (isShown: boolean): Park =>
  async (trx, one, event, error) => {
    await trx
      .insertInto("parked_events")
      .values({
        id: sql`gen_random_uuid()`,
        consumer: consumerOf(one, isShown),
        position: event.position,
        event_id: event.id,
        type: event.type,
        error: redactError(error, event),
        stream: event.stream,
        revision: event.revision,
        parked_at: sql`now()`,
        retry_asked_at: null,
        skipped_at: null,
        skip_reason: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };

/** The ids of events that an operator has skipped for a version of a projection. Rebuilds leave them out too. */
export const loadSkipped = async (db: Db, one: Progress): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom("parked_events")
    .select("event_id")
    .where("consumer", "=", consumerOf(one, true))
    .where("skipped_at", "is not", null)
    .execute();
  return new Set(rows.map(({ event_id }) => event_id));
};

/** Replaces the parked events of the shown build with those of its successor. Skipped events stay skipped. */
export const takeOverParked = async (trx: Db, one: Progress): Promise<void> => {
  await trx
    .deleteFrom("parked_events")
    .where(sql<boolean>`starts_with(consumer, ${`${one.projection.name}@`})`)
    .where("consumer", "!=", consumerOf(one, false))
    .where("skipped_at", "is", null)
    .execute();
  await trx
    .updateTable("parked_events")
    .set({ consumer: consumerOf(one, true) })
    .where("consumer", "=", consumerOf(one, false))
    .execute();
};

/** A parked event as operators see it. */
export type Parked = {
  readonly id: string;
  readonly consumer: string;
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly stream: string | null;
  readonly error: string;
  readonly parkedAt: string;
  readonly retryAskedAt: string | null;
  readonly skippedAt: string | null;
  readonly skipReason: string | null;
};

/** Lists parked events by position, without skipped ones by default. */
export const listParked = async (
  db: Db,
  options: { readonly withSkipped?: boolean; readonly limit?: number } = {},
): Promise<readonly Parked[]> => {
  const rows = await db
    .selectFrom("parked_events")
    .selectAll()
    .$if(options.withSkipped !== true, (query) => query.where("skipped_at", "is", null))
    .orderBy("position")
    .orderBy("consumer")
    .limit(options.limit ?? 1_000)
    .execute();
  return rows.map(toParked);
};

/** Finds a parked event; null if there is none, for example after a successful retry. */
export const findParked = async (db: Db, id: string): Promise<Parked | null> => {
  const row = await db
    .selectFrom("parked_events")
    .selectAll()
    .where(sql<boolean>`id::text = ${id.toLowerCase()}`)
    .executeTakeFirst();
  return row ? toParked(row) : null;
};

const toParked = (row: KernelTables["parked_events"]): Parked => ({
  id: row.id,
  consumer: row.consumer,
  position: row.position,
  eventId: row.event_id,
  type: row.type,
  stream: row.stream,
  error: row.error,
  parkedAt: row.parked_at,
  retryAskedAt: row.retry_asked_at,
  skippedAt: row.skipped_at,
  skipReason: row.skip_reason,
});

/** A parked event whose retry is requested. */
export type Asked = {
  readonly id: string;
  readonly consumer: string;
  readonly stream: string;
  readonly revision: bigint;
};

/** The parked events of shown builds whose retry is requested, by position. */
export const loadAsked = async (db: Db): Promise<readonly Asked[]> => {
  const rows = await db
    .selectFrom("parked_events")
    .select(["id", "consumer", "stream", "revision"])
    .where("retry_asked_at", "is not", null)
    .orderBy("position")
    .execute();
  return rows.flatMap(({ id, consumer, stream, revision }) =>
    stream === null || revision === null ? [] : [{ id, consumer, stream, revision }],
  );
};

/** Records a failed retry with its error. The event stays parked. */
export const noteRefusedAgain = async (
  db: Db,
  id: string,
  event: RecordedEvent,
  error: unknown,
): Promise<void> => {
  await db
    .updateTable("parked_events")
    .set({ error: redactError(error, event), retry_asked_at: null, parked_at: sql`now()` })
    .where("id", "=", id)
    .execute();
};
