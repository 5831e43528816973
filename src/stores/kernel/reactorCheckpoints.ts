import { type Kysely, sql } from "kysely";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { redactError } from "./redactedError.ts";

export type ReactorTables = {
  reactor_checkpoints: { name: string; position: bigint | null; advanced_at: string };
  parked_events: {
    consumer: string;
    position: bigint;
    event_id: string;
    type: string;
    error: string;
  };
};

/** The position up to which a reactor has handled events; null before its first one. */
export const loadReactorCheckpoint = async (
  db: Kysely<ReactorTables>,
  name: string,
): Promise<bigint | null> => {
  const row = await db
    .selectFrom("reactor_checkpoints")
    .select("position")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.position ?? null;
};

/** Saves the position of a reactor. It never decreases. */
export const saveReactorCheckpoint = async (
  db: Kysely<ReactorTables>,
  name: string,
  position: bigint,
): Promise<void> => {
  await db
    .insertInto("reactor_checkpoints")
    .values({ name, position, advanced_at: sql`now()` })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ position, advanced_at: sql`now()` })
        .where((eb) =>
          eb.or([
            eb("reactor_checkpoints.position", "is", null),
            eb("reactor_checkpoints.position", "<", position),
          ]),
        ),
    )
    .execute();
};

/** Parks an event that a reactor cannot handle, with the redacted error. Resolves with that error. */
export const parkForReactor = async (
  db: Kysely<ReactorTables>,
  reactor: string,
  event: RecordedEvent,
  error: unknown,
): Promise<string> => {
  const reason = redactError(error, event);
  await db
    .insertInto("parked_events")
    .values({
      consumer: `reactor:${reactor}`,
      position: event.position,
      event_id: event.id,
      type: event.type,
      error: reason,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return reason;
};
