import type { Kysely } from "kysely";
import { type ExecutionEvent, executionDecider } from "../domain/runs/execution.ts";
import { type RunEvent, runDecider } from "../domain/runs/run.ts";
import type { RecordedEvent } from "../platform/eventLog/port.ts";
import { createExecutionTables, type ExecutionTables, executionTables } from "./executionTables.ts";
import { defineProjection } from "./kernel/projection.ts";

type Db = Kysely<ExecutionTables>;

/** The result of each execution: that of its last delivery, in which no step stands twice. */
export const executionsProjection = defineProjection<ExecutionTables, RunEvent | ExecutionEvent>({
  name: "executions",
  version: 1,
  tables: executionTables,
  create: createExecutionTables,
  codecs: [runDecider.codec, executionDecider.codec],
  on: {
    // A caller looks for its executions as soon as they are promised to it, before the dispatcher has made them.
    RunQueued: async (db, { data, metadata }) => {
      await db
        .insertInto("executions")
        .values(
          data.executions.map((planned, index) => ({
            id: planned.executionId,
            run_id: data.runId,
            organization_id: metadata.organization_id ?? "",
            place: index + 1,
            test_id: planned.testId,
            test_version: planned.testVersion,
            test_name: planned.testName,
            step_count: planned.stepCount,
            browsers: JSON.stringify(data.browsers),
            base_url: data.baseUrl,
            variables: JSON.stringify(data.variables),
            status: "queued" as const,
            delivery: 0,
            error: null,
            duration_ms: null,
            created_at: metadata.occurred_at,
            started_at: null,
            finished_at: null,
            updated_at: metadata.occurred_at,
            version: 0,
          })),
        )
        .execute();
    },
    ExecutionQueued: (db, event) => touch(db, event, {}),
    ExecutionClaimed: async (db, event) => {
      const id = subjectOf(event);
      for (const table of executionTables) {
        if (table === "executions") continue;
        await db.deleteFrom(table).where("execution_id", "=", id).execute();
      }
      await touch(db, event, { status: "claimed", delivery: event.data.delivery });
      await db
        .updateTable("executions")
        .set({ started_at: event.metadata.occurred_at })
        .where("id", "=", id)
        .where("started_at", "is", null)
        .execute();
    },
    ExecutionReturned: (db, event) => touch(db, event, { status: "queued" }),
    ExecutionLeaseExpired: (db, event) => touch(db, event, { status: "queued" }),
    BrowserStarted: async (db, event) => {
      const { attempt, browser, browserVersion } = event.data;
      const unfinished = { status: "running", error: null, duration_ms: null } as const;
      await db
        .insertInto("execution_attempts")
        .values({ execution_id: subjectOf(event), attempt, ...unfinished })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await db
        .insertInto("execution_browsers")
        .values({
          execution_id: subjectOf(event),
          attempt,
          browser,
          browser_version: browserVersion,
          ...unfinished,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await touch(db, event, { status: "running" });
    },
    StepStarted: (db, event) => putStep(db, event, { status: "running" }),
    StepPassed: (db, event) => {
      const { durationMs, locator } = event.data;
      return putStep(db, event, { status: "passed", duration_ms: durationMs, locator });
    },
    StepFailed: (db, event) => {
      const { durationMs, locator, error } = event.data;
      return putStep(db, event, { status: "failed", duration_ms: durationMs, locator, error });
    },
    StepSkipped: (db, event) => putStep(db, event, { status: "skipped" }),
    ScreenshotTaken: async (db, event) => {
      const { attempt, browser, number, format, name, key } = event.data;
      await db
        .insertInto("screenshots")
        .values({
          execution_id: subjectOf(event),
          attempt,
          browser,
          step_number: number,
          format,
          name,
          blob_key: key,
          taken_at: event.metadata.occurred_at,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    BrowserFinished: async (db, event) => {
      const { attempt, browser, status, error, durationMs } = event.data;
      await db
        .updateTable("execution_browsers")
        .set({ status, error, duration_ms: durationMs })
        .where("execution_id", "=", subjectOf(event))
        .where("attempt", "=", attempt)
        .where("browser", "=", browser)
        .execute();
    },
    AttemptFinished: async (db, event) => {
      const { attempt, status, error, durationMs } = event.data;
      const ending = { status, error, duration_ms: durationMs };
      await db
        .insertInto("execution_attempts")
        .values({ execution_id: subjectOf(event), attempt, ...ending })
        .onConflict((conflict) => conflict.columns(["execution_id", "attempt"]).doUpdateSet(ending))
        .execute();
    },
    ExecutionFinished: (db, event) => {
      const { status, error, durationMs } = event.data;
      return touch(db, event, {
        status,
        error,
        duration_ms: durationMs,
        finished_at: event.metadata.occurred_at,
      });
    },
  },
});

const subjectOf = (event: RecordedEvent): string =>
  event.stream.slice(event.stream.indexOf("-") + 1);

const touch = async (
  db: Db,
  event: RecordedEvent,
  change: Partial<ExecutionTables["executions"]>,
): Promise<void> => {
  await db
    .updateTable("executions")
    .set({ ...change, updated_at: event.metadata.occurred_at, version: Number(event.revision) + 1 })
    .where("id", "=", subjectOf(event))
    .execute();
};

type StepAt = { readonly attempt: number; readonly browser: string; readonly number: number };

const putStep = async (
  db: Db,
  event: RecordedEvent<StepAt>,
  change: Pick<ExecutionTables["execution_steps"], "status"> &
    Partial<ExecutionTables["execution_steps"]>,
): Promise<void> => {
  const { attempt, browser, number } = event.data;
  const row = { duration_ms: null, error: null, locator: null, ...change };
  await db
    .insertInto("execution_steps")
    .values({ execution_id: subjectOf(event), attempt, browser, number, ...row })
    .onConflict((conflict) =>
      conflict.columns(["execution_id", "attempt", "browser", "number"]).doUpdateSet(row),
    )
    .execute();
};
