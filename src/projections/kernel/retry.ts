import type { Kysely } from "kysely";
import { isTransient } from "../../platform/database/database.ts";
import { LogUnavailableError, StreamDeletedError } from "../../platform/eventLog/errors.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { foldInto, type Progress } from "./applyBatch.ts";
import { type Asked, consumerOf, noteRefusedAgain } from "./parking.ts";
import type { Projection } from "./projection.ts";
import { createRebuild, isLockedOut, loadShown, lockBuilds } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/**
 * Folds a parked event into the shown build, unless later events of its stream are folded already: then it would
 * overwrite newer data, and the projection is rebuilt instead. If the event is refused again, it stays parked with
 * the new error. Rejects if the log or the database is unavailable.
 */
export const retryParked = async (
  deps: {
    readonly log: EventLog;
    readonly db: Kysely<KernelTables>;
    readonly projections: readonly Projection[];
  },
  asked: Asked,
): Promise<void> => {
  const { log, db } = deps;
  const shown = await loadShown(db, deps.projections);
  const one = shown.find((candidate) => consumerOf(candidate, true) === asked.consumer);
  // The version belongs to another release.
  if (!one) return;
  const event = await firstOf(
    log.readStream(asked.stream, { from: asked.revision, limit: 1 }),
  ).catch(noneIfDeleted);
  if (event?.revision !== asked.revision) {
    await unpark(db, asked.id);
    return;
  }
  try {
    const isFolded = await db.transaction().execute(async (trx) => {
      const rows = await lockBuilds(trx, one.projection.name);
      const row = rows.find(
        ({ build, version, state }) =>
          state === "shown" && build === one.build && version === one.projection.version,
      );
      if (!row || (await isOvertaken(log, one, event, row.position))) return false;
      if (await unpark(trx, asked.id)) await foldInto(trx, one, [event]);
      return true;
    });
    if (isFolded) return;
    await createRebuild(db, one.projection);
    await db
      .updateTable("parked_events")
      .set({ retry_asked_at: null })
      .where("id", "=", asked.id)
      .execute();
  } catch (error) {
    if (isTransient(error) || isLockedOut(error) || error instanceof LogUnavailableError)
      throw error;
    await noteRefusedAgain(db, asked.id, event, error);
  }
};

/** Whether later events that may depend on the event are folded already. */
const isOvertaken = async (
  log: EventLog,
  { projection }: Progress,
  event: RecordedEvent,
  position: bigint | null,
): Promise<boolean> => {
  if (position === null || projection.ordersTheLog === true) return true;
  for await (const later of log.readStream(event.stream, { from: event.revision + 1n })) {
    if (later.position > position) return false;
    if (projection.handlers.has(later.type)) return true;
  }
  return false;
};

/** A stream with a tombstone has no events. */
const noneIfDeleted = (error: unknown): null => {
  if (error instanceof StreamDeletedError) return null;
  throw error;
};

/** Deletes a parked event. Resolves with false if it is gone already. */
const unpark = async (db: Kysely<KernelTables>, id: string): Promise<boolean> => {
  const row = await db
    .deleteFrom("parked_events")
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
};

const firstOf = async <T>(items: AsyncIterable<T>): Promise<T | null> => {
  for await (const item of items) return item;
  return null;
};
