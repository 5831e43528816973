import { z } from "zod";
import { planCodes } from "../../../domain/billing/catalog.ts";
import { verdicts } from "../../../domain/runs/reservations.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import { runEventNames } from "../../../domain/runs/watchedEvents.ts";
import { id, timestamp } from "../../schemas.ts";
import { visual } from "../baselines/shapes.ts";
import { stepDifference } from "../catalogue/differences.ts";

const durationMs = z.int().nullable();
const runStatus = z.enum(["queued", "running", "passed", "failed", "errored", "cancelled"]);
export const executionStatus = z.enum([
  "queued",
  "claimed",
  "running",
  "passed",
  "flaky",
  "failed",
  "errored",
  "cancelled",
]);
const partStatus = z.enum(["running", "passed", "failed", "errored", "cancelled"]);
const browser = browserName;

const verdict = z.enum(verdicts).nullable().meta({
  id: "Verdict",
  description:
    "The status with its reservations, null until it is final. `passed_with_gaps`: passed, but plan, policy, browser or a missing baseline prevented a step. `healed`: passed, but a step used another element than its target names. Every other verdict equals the status.",
});
const step = z.int().describe("The number of the step, from 1.");
/** The gaps and healed steps of a test in its last attempt. */
const reservations = {
  verdict,
  gaps: z
    .array(
      z.object({ browser, step, reason: z.string() }).meta({
        id: "Gap",
        description: "A skipped step that plan, policy, browser or a missing baseline prevented.",
      }),
    )
    .describe("The gaps of the last attempt. Disabled and optional steps are no gaps."),
  healed: z
    .array(
      z.object({ browser, step, target: z.string(), healed_target: z.string() }).meta({
        id: "HealedStep",
        description: "A step that used another element than its target names.",
      }),
    )
    .describe("The healed steps of the last attempt."),
};

/** The common fields of resources. */
const resource = { created_at: timestamp, updated_at: timestamp, version: z.int() };

/** The content of a test file that ran instead of a stored version. */
export const fileContent = z
  .object({
    commit: z
      .string()
      .nullable()
      .describe("The commit of the file; null if unknown, or if the file has uncommitted changes."),
    stored_version: z
      .int()
      .nullable()
      .describe("The stored version that it differs from; null if the test is not stored."),
    summary: z.string().nullable().describe("The difference from the stored version in words."),
  })
  .meta({ id: "FileContent", description: "The content of a test file, with its origin." })
  .nullable();

const ofFile = {
  source: z.string().nullable().describe("The path of the test's file in its repository."),
  content: fileContent.describe("The file content that runs; null if the stored version runs."),
};

/** A run in a list. */
export const runSummary = z
  .object({
    id,
    project_id: id.nullable(),
    status: runStatus,
    triggered_by: z.string(),
    rerun_of: id.nullable().describe("The repeated run, null if this is not a repetition."),
    test_set_id: id
      .nullable()
      .describe("The executed test set, null for other selections of tests."),
    queued_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    duration_ms: durationMs,
    totals: z
      .object({
        passed: z.int(),
        failed: z.int(),
        flaky: z.int(),
        errored: z.int(),
        cancelled: z.int(),
        quarantined: z
          .int()
          .describe(
            "Failures and errors of quarantined tests. They do not count as failed or errored.",
          ),
      })
      .meta({ id: "RunTotals", description: "The number of executions by status." }),
    verdict,
    tests_with_gaps: z.int().describe("The number of passed tests with gaps."),
    tests_healed: z.int().describe("The number of passed tests with healed steps."),
    ...resource,
  })
  .meta({ id: "RunSummary", description: "A run in a list." });

/** A run in a list, with the number of its tests and the name of the first. */
export const runListItem = runSummary.extend({
  test_count: z.int(),
  first_test: z
    .string()
    .nullable()
    .describe("The name of the first test. null until the executions of the run are recorded."),
});

/** A run with the progress of its tests. */
export const runDetail = runSummary
  .extend({
    sequence: z.int(),
    tests: z.array(
      z
        .object({
          test_id: id,
          name: z.string(),
          execution_id: id,
          row: z
            .int()
            .nullable()
            .describe("The row of test data, from 1; null for tests without data."),
          ...ofFile,
          status: executionStatus,
          quarantined: z
            .boolean()
            .describe(
              "Whether the test was quarantined when the run was queued. Its failures do not count.",
            ),
          duration_ms: durationMs,
          steps_done: z.int(),
          steps_total: z.int(),
          error: z.string().nullable(),
          attempts: z.array(
            z
              .object({
                number: z.int(),
                status: partStatus,
                error: z.string().nullable(),
                duration_ms: durationMs,
              })
              .meta({ id: "AttemptSummary", description: "An attempt, without its browsers." }),
          ),
          browsers: z.array(
            z.object({ browser, status: partStatus, duration_ms: durationMs }).meta({
              id: "BrowserSummary",
              description: "The status of a browser in the last attempt.",
            }),
          ),
          ...reservations,
        })
        .meta({ id: "RunTest", description: "The progress of a test in a run." }),
    ),
  })
  .meta({ id: "Run", description: "A run with the progress of its tests." });

/** An event of a run, with its sequence number. */
export const runEvent = z
  .object({
    run_id: id,
    execution_id: id.nullable(),
    sequence: z.int(),
    name: z.enum(runEventNames),
    browser: browser.nullable(),
    attempt: z.int().nullable(),
    delivery: z.int().nullable(),
    step_number: z.int().nullable(),
    data: z.record(z.string(), z.unknown()),
    at: timestamp,
  })
  .meta({
    id: "Event",
    description: "A live event of a run. Sequence numbers count from 1 without gaps.",
  });

/** An execution in a list. */
export const executionSummary = z
  .object({
    id,
    run_id: id,
    test_id: id,
    test_version: z.int(),
    test_name: z.string(),
    ...ofFile,
    environment: z.string().nullable(),
    row: z
      .object({ number: z.int().positive(), values: z.record(z.string(), z.string()) })
      .meta({ id: "TestDataRow", description: "A row of test data." })
      .nullable(),
    status: executionStatus,
    quarantined: z
      .boolean()
      .describe(
        "Whether the test was quarantined when the run was queued. Its failures do not count.",
      ),
    delivery: z.int(),
    error: z.string().nullable(),
    duration_ms: durationMs,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    ...reservations,
    ...resource,
  })
  .meta({ id: "ExecutionSummary", description: "An execution in a list, without its steps." });

const box = z
  .object({
    ...{ x: z.int(), y: z.int(), width: z.int(), height: z.int() },
    viewport: z.object({ width: z.int(), height: z.int() }),
  })
  .meta({
    id: "Box",
    description:
      "A rectangle in CSS pixels of the viewport. The screenshot of the step shows the viewport.",
  });

const pageProblems = z
  .object({
    logged: z.array(z.string()).describe("Errors that scripts wrote to the console."),
    exceptions: z.array(z.string()).describe("Errors that no script caught."),
    requests: z
      .array(
        z.object({
          method: z.string().describe("The HTTP method."),
          url: z.string().describe("Without query and fragment."),
          status: z.int().nullable(),
          error: z.string().nullable(),
        }),
      )
      .describe("Requests that failed, or were answered with 400 or more."),
    more: z.int().describe("The number of further problems."),
  })
  .meta({
    id: "PageProblems",
    description:
      "The problems of the pages from the last step that acted on them to the failing step.",
  });

const browserResult = z
  .object({
    browser,
    browser_version: z.string(),
    status: partStatus,
    duration_ms: durationMs,
    error: z.string().nullable(),
    steps: z.array(
      z
        .object({
          number: z.int(),
          action: z.string(),
          target: z.string(),
          value: z.string(),
          description: z.string(),
          status: z.enum(["pending", "running", "passed", "failed", "skipped"]),
          duration_ms: durationMs,
          error: z.string().nullable(),
          locator: z.string().nullable(),
          screenshot_url: z.string().nullable(),
          reason: z.string().nullable().describe("Why the step was skipped."),
          is_gap: z
            .boolean()
            .describe("Whether plan, policy, browser or a missing baseline prevented the step."),
          healed_target: z
            .string()
            .nullable()
            .describe("The target of the element that was used instead, null if none was."),
          notes: z
            .array(z.string())
            .describe("Remarks on how the step matched the page, such as `was so before`."),
          evidence: box.nullable().describe("The element that a claim is about."),
          page_problems: pageProblems
            .nullable()
            .describe("The problems of the pages before the step failed, null if there are none."),
          screenshot_missing: z
            .string()
            .nullable()
            .describe("The reason why the picture was lost, null if it was not."),
          visual: visual.nullable().describe("The result of the comparison of a `visual_check`."),
        })
        .meta({ id: "StepResult", description: "The result of a step in one browser." }),
    ),
  })
  .meta({ id: "BrowserResult", description: "The result of an attempt in one browser." });

/** The deletion of an execution's evidence, with the plan and its retention. */
export const evidenceDeleted = z
  .object({ at: timestamp, plan: z.enum(planCodes), days: z.int() })
  .meta({
    id: "EvidenceDeletion",
    description: "The deletion of an execution's screenshots and artifacts.",
  })
  .nullable();

/** An execution with the result of each step. `browsers` belong to the last attempt. */
export const executionDetail = executionSummary
  .extend({
    base_url: z.string().nullable(),
    difference: z
      .array(stepDifference)
      .nullable()
      .describe("The changed steps of the file content; null if a stored version runs."),
    evidence_deleted: evidenceDeleted.describe("Null until the evidence is deleted."),
    attempts: z.array(
      z
        .object({
          number: z.int(),
          status: partStatus,
          duration_ms: durationMs,
          error: z.string().nullable(),
          browsers: z.array(browserResult),
        })
        .meta({ id: "Attempt", description: "An attempt of an execution." }),
    ),
    browsers: z.array(browserResult),
  })
  .meta({
    id: "Execution",
    description: "The execution of a test in a run, with the result of each step.",
  });

/** A screenshot, without its picture. */
export const screenshot = z
  .object({
    browser,
    attempt: z.int(),
    step_number: z.int(),
    format: z.enum(["jpeg", "png"]),
    name: z.string().nullable(),
    url: z.string(),
    taken_at: timestamp,
  })
  .meta({ id: "Screenshot", description: "A screenshot of a step." });

/** The statuses for filters. */
export { runStatus };
