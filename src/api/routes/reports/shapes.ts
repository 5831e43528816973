import { z } from "zod";
import { FLAKINESS_DAYS } from "../../../domain/reports/flakiness.ts";
import { id, timestamp } from "../../schemas.ts";
import { evidenceDeleted, executionDetail, runDetail } from "../runs/schemas.ts";

const ended = z.enum(["passed", "flaky", "failed", "errored", "cancelled"]);

/** A run of the same kind: who asked, for what. */
export const trendPoint = z.object({
  run_id: id,
  status: z.enum(["passed", "failed", "errored", "cancelled"]),
  finished_at: timestamp,
  passed: z.int(),
  not_passed: z.int(),
});

/** What is another than when the test last passed. */
export const changes = z.object({
  /** When that was. */
  since: z.object({ execution_id: id, run_id: id, finished_at: timestamp }),
  versions: z.array(
    z.object({ version: z.int(), event: z.string(), by: z.string(), at: timestamp }),
  ),
  /** Tests that it calls, whose version is another; null where it did not call them. */
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
  /** What was changed about its baselines since; `step_id`, `browser` and `viewport` are null where it is about all of them. */
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

/** What did not pass in a run, with what had changed. */
const problem = z.object({
  test_id: id,
  execution_id: id,
  name: z.string(),
  status: ended,
  /** Null where it has never passed. */
  changes: changes.nullable(),
  /** Null while its pictures and files are there. */
  evidence_deleted: evidenceDeleted,
});

export const runReport = z.object({
  run: runDetail,
  problems: z.array(problem),
  /** What did not pass either, and does not count: it was in quarantine when the run was asked for. */
  quarantined: z.array(problem),
  /** The last runs of the same kind up to this one, oldest first. */
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
    /** `import`: known from results of other tools alone; it cannot be run here. */
    source: z.enum(["own", "import"]),
    /** Where it stands in the reports of its tool; null for a test of one's own. */
    external: z
      .object({
        suite: z.string(),
        class_name: z.string(),
        name: z.string(),
        project: z.string().nullable(),
      })
      .nullable(),
  }),
  /** The execution that was asked for, or the last one; null when there is none. */
  execution: executionDetail.nullable(),
  changes: changes.nullable(),
  /** The quarantine that it is in now; null while its failures count. */
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
  /** The last executions, the latest first: `totals` counts them. */
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
