import { z } from "zod";
import { FLAKINESS_DAYS } from "../../../domain/reports/flakiness.ts";
import { id, timestamp } from "../../schemas.ts";
import { evidenceDeleted, executionDetail, runDetail } from "../runs/schemas.ts";

const ended = z.enum(["passed", "flaky", "failed", "errored", "cancelled"]);

/** A run with the same actor and target. */
export const trendPoint = z
  .object({
    run_id: id,
    status: z.enum(["passed", "failed", "errored", "cancelled"]),
    finished_at: timestamp,
    passed: z.int(),
    not_passed: z.int(),
  })
  .meta({ id: "TrendPoint", description: "An earlier run of the same selection." });

/** The differences from the last passed execution. */
export const changes = z
  .object({
    since: z
      .object({ execution_id: id, run_id: id, finished_at: timestamp })
      .describe("When the test last passed."),
    versions: z.array(
      z.object({ version: z.int(), event: z.string(), by: z.string(), at: timestamp }),
    ),
    called: z
      .array(
        z.object({
          test_id: id,
          name: z.string(),
          from: z.int().nullable(),
          to: z.int().nullable(),
        }),
      )
      .describe("Called tests with another version; null if the test did not call them."),
    environment: z.object({ from: z.string().nullable(), to: z.string().nullable() }).nullable(),
    browsers: z.array(
      z.object({ browser: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
    ),
    baselines: z
      .array(
        z.object({
          kind: z.enum(["approved", "removed", "settings_changed"]),
          step_id: id.nullable(),
          browser: z.string().nullable(),
          viewport: z.string().nullable(),
          by: z.string(),
          at: timestamp,
        }),
      )
      .describe(
        "Changes of its baselines since then. `step_id`, `browser` and `viewport` are null if all are concerned.",
      ),
  })
  .meta({ id: "ChangesSincePass", description: "The differences from the last passed execution." });

export const flakiness = z
  .object({
    days: z.literal([...FLAKINESS_DAYS]),
    executions: z.int(),
    signs: z.int(),
    score: z.number().describe("From 0 to 1."),
    since: z.object({ execution_id: id, at: timestamp }).nullable(),
  })
  .meta({ id: "Flakiness", description: "The flakiness of a test over a number of days." });

/** A failure of a run, with the changes since the test last passed. */
const problem = z
  .object({
    test_id: id,
    execution_id: id,
    name: z.string(),
    status: ended,
    changes: changes.nullable().describe("Null if it never passed."),
    evidence_deleted: evidenceDeleted.describe("Null until its pictures and files are deleted."),
  })
  .meta({ id: "Failure", description: "A failed test of a run." });

export const runReport = z
  .object({
    run: runDetail,
    problems: z.array(problem),
    quarantined: z
      .array(problem)
      .describe(
        "Failures that do not count, because the test was quarantined when the run was requested.",
      ),
    trend: z
      .array(trendPoint)
      .describe("The last runs with the same actor and target, including this one, oldest first."),
  })
  .meta({ id: "RunReport", description: "The report of a run." });

export const testSetReport = z.object({
  test_set: z.object({ id, name: z.string() }),
  ...runReport.shape,
});

export const testReport = z
  .object({
    test: z.object({
      id,
      name: z.string(),
      version: z.int(),
      source: z
        .enum(["own", "import"])
        .describe("`import`: known only from imported results, and not runnable here."),
      external: z
        .object({
          suite: z.string(),
          class_name: z.string(),
          name: z.string(),
          project: z.string().nullable(),
        })
        .nullable()
        .describe("Its location in the reports of its tool, null for a test of the catalogue."),
    }),
    execution: executionDetail
      .nullable()
      .describe("The requested execution, or the last one; null if there is none."),
    changes: changes.nullable(),
    quarantine: z
      .object({ until: timestamp, reason: z.string(), started_at: timestamp })
      .nullable()
      .describe("The active quarantine, null if there is none."),
    totals: z.object({
      executions: z.int(),
      passed: z.int(),
      flaky: z.int(),
      failed: z.int(),
      errored: z.int(),
      cancelled: z.int(),
    }),
    flakiness: z.array(flakiness),
    history: z
      .array(
        z.object({
          execution_id: id,
          run_id: id,
          test_version: z.int(),
          status: ended,
          duration_ms: z.int().nullable(),
          finished_at: timestamp,
        }),
      )
      .describe("The last executions, newest first. `totals` counts them."),
  })
  .meta({ id: "TestReport", description: "The report of a test." });
