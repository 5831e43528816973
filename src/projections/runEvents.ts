import type { Kysely } from "kysely";
import { type ExecutionEvent, executionDecider } from "../domain/runs/execution.ts";
import { type RunEvent, runDecider } from "../domain/runs/run.ts";
import { type NumberedRunEvent, watched, watchedTypes } from "../domain/runs/runEvents.ts";
import { defineProjection, type Handler } from "./kernel/projection.ts";

export type RunEventTables = {
  run_events: {
    run_id: string;
    sequence: number;
    name: string;
    execution_id: string | null;
    browser: string | null;
    attempt: number | null;
    delivery: number | null;
    step_number: number | null;
    data: unknown;
    at: string;
    position: bigint | string;
  };
};

type Watched = Extract<RunEvent | ExecutionEvent, { type: (typeof watchedTypes)[number] }>;

/** Numbers what a watcher sees of a run 1, 2, 3 … in the order of `$all`. */
const append: Handler<RunEventTables, Watched> = async (db, event) => {
  const subjectId = event.stream.slice(event.stream.indexOf("-") + 1);
  const seen = watched({ type: event.type, data: event.data } as Watched, subjectId);
  if (!seen) return;
  await db
    .insertInto("run_events")
    .values((eb) => ({
      ...seen,
      sequence: eb
        .selectFrom("run_events")
        .where("run_id", "=", seen.run_id)
        .select((all) =>
          all(all.fn.coalesce(all.fn.max("sequence"), all.lit(0)), "+", 1).as("next"),
        ),
      data: JSON.stringify(seen.data),
      at: event.metadata.occurred_at,
      position: event.position.toString(),
    }))
    .execute();
};

export const runEventsProjection = defineProjection<RunEventTables, RunEvent | ExecutionEvent>({
  name: "run_events",
  version: 1,
  tables: ["run_events"],
  create: async (db) => {
    await db.schema
      .createTable("run_events")
      .addColumn("run_id", "uuid", (c) => c.notNull())
      .addColumn("sequence", "integer", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("execution_id", "uuid")
      .addColumn("browser", "text")
      .addColumn("attempt", "integer")
      .addColumn("delivery", "integer")
      .addColumn("step_number", "integer")
      .addColumn("data", "jsonb", (c) => c.notNull())
      .addColumn("at", "timestamptz", (c) => c.notNull())
      .addColumn("position", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint("run_events_pkey", ["run_id", "sequence"])
      .execute();
    await db.schema
      .createIndex("run_events_position")
      .on("run_events")
      .column("position")
      .unique()
      .execute();
  },
  codecs: [runDecider.codec, executionDecider.codec],
  on: Object.fromEntries(watchedTypes.map((type) => [type, append])),
});

/** What watchers saw of runs. Who may see a run is decided where the run is looked up. */
export const runEventQueries = (db: Kysely<RunEventTables>) => {
  const columns = [
    "run_id",
    "sequence",
    "name",
    "execution_id",
    "browser",
    "attempt",
    "delivery",
    "step_number",
    "data",
    "at",
  ] as const;
  return {
    /** The events of a run after number `after` (0: from the first), in order. */
    runEventsAfter: async (
      runId: string,
      after: number,
      limit: number,
    ): Promise<NumberedRunEvent[]> => {
      const rows = await db
        .selectFrom("run_events")
        .select(columns)
        .where("run_id", "=", runId)
        .where("sequence", ">", after)
        .orderBy("sequence")
        .limit(limit)
        .execute();
      return rows as NumberedRunEvent[];
    },
    /** The number of a run's last event, 0 while there is none. */
    lastSequence: async (runId: string): Promise<number> => {
      const row = await db
        .selectFrom("run_events")
        .select((eb) => eb.fn.max("sequence").as("last"))
        .where("run_id", "=", runId)
        .executeTakeFirst();
      return row?.last ?? 0;
    },
    /** The events of all runs after a position of the log (null: from the start), for who publishes them. */
    runEventsAfterPosition: async (
      position: bigint | null,
      limit: number,
    ): Promise<(NumberedRunEvent & { readonly position: bigint })[]> => {
      const rows = await db
        .selectFrom("run_events")
        .select([...columns, "position"])
        .$if(position !== null, (query) => query.where("position", ">", String(position)))
        .orderBy("position")
        .limit(limit)
        .execute();
      return rows as (NumberedRunEvent & { readonly position: bigint })[];
    },
  };
};

export type RunEventQueries = ReturnType<typeof runEventQueries>;
