import { type Kysely, sql } from "kysely";
import { isPassing } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { type Projection, schemaOf } from "./projection.ts";
import type { CheckpointTables } from "./schemas.ts";

/** Another process leads now: this one's batch was rolled back by the fence. */
export class FencedOffError extends Error {
  constructor() {
    super("Another process has moved the checkpoints on");
    this.name = "FencedOffError";
  }
}

/** A projection and the position it has committed. */
export type Progress = { readonly projection: Projection; position: bigint | null };

/** The channel on which commits are told to other processes. Payload: `position name,name,…`. */
export const ADVANCED_CHANNEL = "projections_advanced";

/**
 * Folds a batch into every projection: rows and checkpoints in one transaction, fenced by the
 * checkpoint that this process last wrote. An event that a handler refuses rolls the batch back, and
 * it is folded again carefully: event by event, the poisoned one parked with its error.
 */
export const applyBatch = async (
  db: Kysely<CheckpointTables>,
  progress: readonly Progress[],
  batch: readonly RecordedEvent[],
): Promise<{ parked: number }> => {
  const last = batch.at(-1);
  if (!last) return { parked: 0 };
  let parked = 0;
  try {
    await db.transaction().execute((trx) => fold(trx, progress, batch, last.position, handle));
  } catch (error) {
    if (error instanceof FencedOffError || isPassing(error)) throw error;
    await db.transaction().execute((trx) => {
      parked = 0;
      return fold(trx, progress, batch, last.position, async (within, projection, event) => {
        if (!(await handleOrPark(within, projection, event))) parked += 1;
      });
    });
  }
  for (const one of progress) {
    if (one.position === null || one.position < last.position) one.position = last.position;
  }
  return { parked };
};

type Handle = (
  trx: Kysely<CheckpointTables>,
  projection: Projection,
  event: RecordedEvent,
) => Promise<void>;

const fold = async (
  trx: Kysely<CheckpointTables>,
  progress: readonly Progress[],
  batch: readonly RecordedEvent[],
  position: bigint,
  handleOne: Handle,
): Promise<void> => {
  await advance(trx, progress, position);
  for (const { projection, position: done } of progress) {
    for (const event of batch) {
      if (done !== null && event.position <= done) continue;
      if (projection.handlers.has(event.type)) await handleOne(trx, projection, event);
    }
  }
  const names = progress.map(({ projection }) => projection.name).join(",");
  await sql`select pg_notify(${ADVANCED_CHANNEL}, ${`${position} ${names}`})`.execute(trx);
};

/** Moves the checkpoints on, but only from where this process left them: that is the fence. */
const advance = async (
  trx: Kysely<CheckpointTables>,
  progress: readonly Progress[],
  position: bigint,
): Promise<void> => {
  const behind = progress.filter(({ position: done }) => done === null || done < position);
  const expected = sql.join(
    behind.map(
      ({ projection, position: done }) =>
        sql`(${projection.name}::text, ${projection.version}::integer, ${done?.toString() ?? null}::bigint)`,
    ),
  );
  const { numAffectedRows } = await sql`
    update projection_checkpoints as c
    set position = ${position.toString()}::bigint, advanced_at = now()
    from (values ${expected}) as e (name, version, position)
    where c.name = e.name and c.version = e.version
      and c.position is not distinct from e.position`.execute(trx);
  if (numAffectedRows !== BigInt(behind.length)) throw new FencedOffError();
};

const handle: Handle = async (trx, projection, event) => {
  const handler = projection.handlers.get(event.type);
  await handler?.(trx.withSchema(schemaOf(projection)) as unknown as Kysely<unknown>, event);
};

const handleOrPark = async (
  trx: Kysely<CheckpointTables>,
  projection: Projection,
  event: RecordedEvent,
): Promise<boolean> => {
  await sql`savepoint one_event`.execute(trx);
  try {
    await handle(trx, projection, event);
    await sql`release savepoint one_event`.execute(trx);
    return true;
  } catch (error) {
    if (isPassing(error)) throw error;
    await sql`rollback to savepoint one_event`.execute(trx);
    await trx
      .insertInto("parked_events")
      .values({
        consumer: `${projection.name}@${projection.version}`,
        position: event.position,
        event_id: event.id,
        type: event.type,
        error: error instanceof Error ? error.message : String(error),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return false;
  }
};
