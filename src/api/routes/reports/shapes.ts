import { z } from "zod";
import { FLAKINESS_DAYS } from "../../../domain/reports/flakiness.ts";
import { id, timestamp } from "../../schemas.ts";
import { evidenceDeleted, executionDetail, runDetail } from "../runs/schemas.ts";

const ended = z.enum(["passed", "flaky", "failed", "errored", "cancelled"]);

/** A run with the same actor and target. */
export const trendPoint = z.object({
  run_id: id,
  status: z.enum(["passed", "failed", "errored", "cancelled"]),
  finished_at: timestamp,
  passed: z.int(),
  not_passed: z.int(),
});

/** The differences from the last passed execution. */
export const changes = z.object({
  /** When the test last passed. */
  since: z.object({ execution_id: id, run_id: id, finished_at: timestamp }),
  versions: z.array(
    z.object({ version: z.int(), event: z.string(), by: z.string(), at: timestamp }),
  ),
  /** Called tests with another version; null if the test did not call them. */
  called: z.array(
    z.object({
      test_id: id,
      name: z.string(),
      from: z.int().nullable(),
      to: z.int().nullable(),
    }),
  ),
  environment: z.object({ from: z.string().nullable(), to: z.string().nullable() }).nullable(),
  browsers: z.array(
    z.object({ browser: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
  ),
  /** Changes of its baselines since then. `step_id`, `browser` and `viewport` are null if all are concerned. */
  baselines: z.array(
    z.object({
      kind: z.enum(["approved", "removed", "settings_changed"]),
      step_id: id.nullable(),
      browser: z.string().nullable(),
      viewport: z.string().nullable(),
      by: z.string(),
      at: timestamp,
    }),
  ),
});

export const flakiness = z.object({
  days: z.literal([...FLAKINESS_DAYS]),
  executions: z.int(),
  signs: z.int(),
  /** From 0 to 1. */
  score: z.number(),
  since: z.object({ execution_id: id, at: timestamp }).nullable(),
});

/** A failure of a run, with the changes since the test last passed. */
const problem = z.object({
  test_id: id,
  execution_id: id,
  name: z.string(),
  status: ended,
  /** Null if it never passed. */
  changes: changes.nullable(),
  /** Null until its pictures and files are deleted. */
  evidence_deleted: evidenceDeleted,
});

export const runReport = z.object({
  run: runDetail,
  problems: z.array(problem),
  /** Failures that do not count, because the test was quarantined when the run was requested. */
  quarantined: z.array(problem),
  /** The last runs with the same actor and target, including this one, oldest first. */
  trend: z.array(trendPoint),
});

export const testSetReport = z.object({
  test_set: z.object({ id, name: z.string() }),
  ...runReport.shape,
});

export const testReport = z.object({
  test: z.object({
    id,
    name: z.string(),
    version: z.int(),
    /** `import`: known only from imported results, and not runnable here. */
    source: z.enum(["own", "import"]),
    /** Its location in the reports of its tool, null for a test of the catalogue. */
    external: z
      .object({
        suite: z.string(),
        class_name: z.string(),
        name: z.string(),
        project: z.string().nullable(),
      })
      .nullable(),
  }),
  /** The requested execution, or the last one; null if there is none. */
  execution: executionDetail.nullable(),
  changes: changes.nullable(),
  /** The active quarantine, null if there is none. */
  quarantine: z.object({ until: timestamp, reason: z.string(), started_at: timestamp }).nullable(),
  totals: z.object({
    executions: z.int(),
    passed: z.int(),
    flaky: z.int(),
    failed: z.int(),
    errored: z.int(),
    cancelled: z.int(),
  }),
  flakiness: z.array(flakiness),
  /** The last executions, newest first. `totals` counts them. */
  history: z.array(
    z.object({
      execution_id: id,
      run_id: id,
      test_version: z.int(),
      status: ended,
      duration_ms: z.int().nullable(),
      finished_at: timestamp,
    }),
  ),
});
