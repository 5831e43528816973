import { type Kysely, sql } from "kysely";
import type { RunEvent } from "../../domain/runs/events.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { runDecider } from "../../domain/runs/run.ts";
import { type NumberedRunEvent, watched, watchedTypes } from "../../domain/runs/watchedEvents.ts";
import { type AnyRecorded, defineBatchProjection, type Target } from "../kernel/projection.ts";
import { recordset } from "../kernel/rows.ts";
import { isOfProject } from "./runFilter.ts";
import type { RunTables } from "./runs.ts";

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

/** The runs of a project or of an organisation. */
export type RunScope = { readonly kind: "project" | "organization"; readonly id: string };

type Watched = Extract<RunEvent | ExecutionEvent, { type: (typeof watchedTypes)[number] }>;

/** Numbers the watchable events of a run from 1 in the order of `$all`, continuing at the last number of the run. */
const append = async (into: Target, events: readonly AnyRecorded<Watched>[]): Promise<void> => {
  const counts = new Map<string, number>();
  const rows = events.flatMap((event) => {
    const subjectId = event.stream.slice(event.stream.indexOf("-") + 1);
    const seen = watched({ type: event.type, data: event.data } as Watched, subjectId);
    if (!seen) return [];
    const sequence = (counts.get(seen.run_id) ?? 0) + 1;
    counts.set(seen.run_id, sequence);
    return [{ ...seen, sequence, at: event.metadata.occurred_at, position: `${event.position}` }];
  });
  if (rows.length === 0) return;
  const table = sql.id(into.schema, "run_events");
  await sql`
    with last as materialized (
      select run_id, (select max(sequence) from ${table} as e where e.run_id = runs.run_id) as sequence
      from unnest(${[...counts.keys()]}::uuid[]) as runs (run_id)
    )
    insert into ${table}
    select r.run_id, coalesce(last.sequence, 0) + r.sequence, r.name, r.execution_id, r.browser,
      r.attempt, r.delivery, r.step_number, r.data, r.at, r.position
    from ${recordset(into, "run_events", rows)} as r join last using (run_id)`.execute(into.db);
};

export const runEventsProjection = defineBatchProjection<RunEventTables, Watched>({
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
  types: watchedTypes,
  fold: append,
  ordersTheLog: true,
});

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

/** The watchable events of runs. The caller authorises access when it looks up the run. */
export const runEventQueries = (db: Kysely<RunEventTables & RunTables>) => {
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
    runEventsOfScope: runEventsOfScope.bind(null, db),
    /** The events of all runs after a position of the log (null: from the start), for the publisher. */
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

/** The events of the runs of a project or an organisation after a position of the log up to another, in order. */
const runEventsOfScope = async (
  db: Kysely<RunEventTables & RunTables>,
  { kind, id }: RunScope,
  range: { readonly after: bigint; readonly until: bigint; readonly limit: number },
): Promise<(NumberedRunEvent & { readonly position: bigint })[]> => {
  const rows = await db
    .selectFrom("run_events as e")
    .innerJoin("runs", "runs.id", "e.run_id")
    .select([...columns.map((column) => `e.${column}` as const), "e.position"])
    .$if(kind === "project", (q) => q.where(isOfProject(id)))
    .$if(kind === "organization", (q) => q.where("runs.organization_id", "=", id))
    .where("e.position", ">", String(range.after))
    .where("e.position", "<=", String(range.until))
    .orderBy("e.position")
    .limit(range.limit)
    .execute();
  return rows as (NumberedRunEvent & { readonly position: bigint })[];
};

export type RunEventQueries = ReturnType<typeof runEventQueries>;
