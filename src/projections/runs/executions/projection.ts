import { assertNever } from "../../../domain/kernel/errors.ts";
import type { RunEvent } from "../../../domain/runs/events.ts";
import type { ExecutionEvent } from "../../../domain/runs/executions/events.ts";
import { executionDecider } from "../../../domain/runs/executions/execution.ts";
import { givenTo } from "../../../domain/runs/executions/input.ts";
import { differs } from "../../../domain/runs/executions/judgement.ts";
import { runDecider } from "../../../domain/runs/run.ts";
import { type AnyRecorded, defineBatchProjection } from "../../kernel/projection.ts";
import { gatherImported } from "../../resultImports/rows.ts";
import { executionBatch } from "./batch.ts";
import { createExecutionTables, type ExecutionTables, executionTables } from "./tables.ts";

type Event = AnyRecorded<RunEvent | ExecutionEvent>;

/** Results of executions. Only the last delivery counts. */
export const executionsProjection = defineBatchProjection<
  ExecutionTables,
  RunEvent | ExecutionEvent
>({
  name: "executions",
  version: 6,
  tables: executionTables,
  create: createExecutionTables,
  codecs: [runDecider.codec, executionDecider.codec],
  // RunQueued inserts the rows that later events of executions change.
  ordersTheLog: true,
  types: [
    "RunQueued",
    "ResultsImported",
    "ExecutionQueued",
    "ExecutionClaimed",
    "ExecutionReturned",
    "ExecutionLeaseExpired",
    "BrowserStarted",
    "StepStarted",
    "StepPassed",
    "StepFailed",
    "StepSkipped",
    "LocatorHealed",
    "ScreenshotTaken",
    "BrowserFinished",
    "AttemptFinished",
    "ExecutionFinished",
    "VisualRejudged",
    "ExecutionVerdictChanged",
    "ExecutionCancelled",
    "EvidenceExpired",
    "EvidenceDeleted",
  ],
  fold: async (into, events) => {
    const batch = executionBatch();
    for (const event of events) gatherEvent(batch, event);
    await batch.write(into);
  },
});

const unfinished = { status: "running", error: null, duration_ms: null } as const;

type Batch = ReturnType<typeof executionBatch>;

const gatherEvent = (batch: Batch, event: Event): void => {
  const execution_id = event.stream.slice(event.stream.indexOf("-") + 1);
  const at = event.metadata.occurred_at;
  const touched = { updated_at: at, version: Number(event.revision) + 1 };
  switch (event.type) {
    // Inserted before ExecutionQueued, because the caller of queueRuns may read its executions immediately.
    case "RunQueued":
      for (const row of plannedOf(event)) batch.insert(row);
      return;
    case "ResultsImported":
      gatherImported(batch, event);
      return;
    case "ExecutionQueued":
    case "EvidenceExpired":
      batch.change(execution_id, touched);
      return;
    case "ExecutionClaimed": {
      const { delivery } = event.data;
      batch.clear(execution_id);
      batch.change(execution_id, { ...touched, status: "claimed", delivery, started_at: at });
      return;
    }
    case "ExecutionReturned":
    case "ExecutionLeaseExpired":
      batch.change(execution_id, { ...touched, status: "queued" });
      return;
    case "BrowserStarted":
    case "StepStarted":
    case "StepSkipped":
    case "StepPassed":
    case "StepFailed":
    case "LocatorHealed":
    case "ScreenshotTaken":
    case "BrowserFinished":
    case "AttemptFinished":
      gatherProgress(batch, event, execution_id);
      if (event.type === "BrowserStarted") {
        batch.change(execution_id, { ...touched, status: "running" });
      }
      return;
    case "ExecutionFinished":
    case "ExecutionCancelled":
      batch.change(execution_id, { ...touched, ...endOf(event), finished_at: at });
      return;
    case "VisualRejudged":
      gatherRejudged(batch, event, execution_id);
      batch.change(execution_id, touched);
      return;
    case "ExecutionVerdictChanged":
      batch.change(execution_id, touched);
      batch.judgeAnew("executions", { id: execution_id }, verdictOf(event.data));
      return;
    case "EvidenceDeleted":
      batch.dropScreenshots(execution_id);
      batch.change(execution_id, touched);
      return;
    default:
      return;
  }
};

const verdictOf = ({ to, error }: Extract<Event, { type: "ExecutionVerdictChanged" }>["data"]) => ({
  status: to,
  error,
});

const endOf = (event: Extract<Event, { type: "ExecutionFinished" | "ExecutionCancelled" }>) => {
  if (event.type === "ExecutionCancelled") {
    return { status: "cancelled", error: null, duration_ms: null } as const;
  }
  const { status, error, durationMs } = event.data;
  return { status, error, duration_ms: durationMs };
};

type Progress = Extract<
  Event,
  {
    type:
      | "BrowserStarted"
      | "StepStarted"
      | "StepSkipped"
      | "StepPassed"
      | "StepFailed"
      | "LocatorHealed"
      | "ScreenshotTaken"
      | "BrowserFinished"
      | "AttemptFinished";
  }
>;

const gatherProgress = (batch: Batch, event: Progress, execution_id: string): void => {
  const at = event.metadata.occurred_at;
  switch (event.type) {
    case "BrowserStarted": {
      const { attempt, browser, browserVersion } = event.data;
      batch.putAttempt({ execution_id, attempt, ...unfinished }, false);
      batch.putBrowser({
        execution_id,
        attempt,
        browser,
        browser_version: browserVersion,
        ...unfinished,
      });
      return;
    }
    case "StepStarted":
    case "StepSkipped":
    case "StepPassed":
    case "StepFailed":
      batch.putStep({ execution_id, ...stepOf(event.data), ...outcomeOf(event) });
      return;
    case "LocatorHealed": {
      const { target, healedTarget } = event.data;
      const step = stepOf(event.data);
      batch.putHealed({ execution_id, ...step, target, healed_target: healedTarget });
      return;
    }
    case "ScreenshotTaken": {
      const { attempt, browser, number, format, name, key } = event.data;
      batch.putScreenshot({
        execution_id,
        attempt,
        browser,
        step_number: number,
        format,
        name,
        blob_key: key,
        taken_at: at,
      });
      return;
    }
    case "BrowserFinished": {
      const { attempt, browser } = event.data;
      // A browser that is not installed has no BrowserStarted.
      batch.putBrowser({ execution_id, attempt, browser, browser_version: "", ...unfinished });
      batch.endBrowser({ execution_id, attempt, browser }, endingOf(event.data));
      return;
    }
    case "AttemptFinished": {
      const { attempt } = event.data;
      batch.putAttempt({ execution_id, attempt, ...endingOf(event.data) }, true);
      return;
    }
    default:
      assertNever(event);
  }
};

type StepEvent = Extract<Progress, { type: `Step${string}` }>;

const noOutcome = {
  ...{ duration_ms: null, error: null, locator: null, reason: null, is_gap: false },
  ...{ notes: null, evidence: null, page: null },
};

const outcomeOf = (
  event: StepEvent,
): Omit<ExecutionTables["execution_steps"], "execution_id" | keyof StepAt> => {
  switch (event.type) {
    case "StepStarted":
      return { ...noOutcome, status: "running" };
    case "StepSkipped": {
      const { reason, gap: is_gap = false } = event.data;
      return { ...noOutcome, status: "skipped", reason, is_gap };
    }
    case "StepPassed": {
      const { durationMs: duration_ms, locator, notes = null, evidence = null } = event.data;
      return { ...noOutcome, status: "passed", duration_ms, locator, notes, evidence };
    }
    case "StepFailed": {
      const { durationMs: duration_ms, locator, error, evidence = null, page = null } = event.data;
      return { ...noOutcome, status: "failed", duration_ms, locator, error, evidence, page };
    }
    default:
      return assertNever(event);
  }
};

const gatherRejudged = (
  batch: Batch,
  event: Extract<Event, { type: "VisualRejudged" }>,
  execution_id: string,
): void => {
  const { pictures, browsers, attempts } = event.data;
  for (const { attempt, browser, number, ...judged } of pictures) {
    if (judged.outcome === "proposed") continue;
    const differing = judged.outcome === "different";
    const outcome = {
      status: differing ? ("failed" as const) : ("passed" as const),
      error: differing ? differs(judged) : null,
    };
    batch.judgeAnew("execution_steps", { execution_id, attempt, browser, number }, outcome);
  }
  for (const { attempt, browser, status, error } of browsers) {
    batch.judgeAnew("execution_browsers", { execution_id, attempt, browser }, { status, error });
  }
  for (const { attempt, status, error } of attempts) {
    batch.judgeAnew("execution_attempts", { execution_id, attempt }, { status, error });
  }
};

const plannedOf = ({
  data,
  metadata,
}: Extract<Event, { type: "RunQueued" }>): ExecutionTables["executions"][] =>
  data.executions.map((planned, index) => {
    const { baseUrl, variables, row = null, calls = null } = givenTo(data, planned);
    const environment = data.environments?.find(
      ({ environmentId }) => environmentId === planned.environmentId,
    );
    return {
      id: planned.executionId,
      run_id: data.runId,
      organization_id: metadata.organization_id ?? "",
      place: index + 1,
      test_id: planned.testId,
      test_version: planned.testVersion,
      test_name: planned.testName,
      step_count: planned.stepCount,
      browsers: data.browsers,
      base_url: baseUrl,
      variables,
      environment: environment?.name ?? null,
      data_row: row,
      calls,
      source: planned.source ?? null,
      content: planned.content ?? null,
      status: "queued",
      delivery: 0,
      error: null,
      duration_ms: null,
      quarantined_until: planned.quarantinedUntil ?? null,
      created_at: metadata.occurred_at,
      started_at: null,
      finished_at: null,
      updated_at: metadata.occurred_at,
      version: 0,
    };
  });

type StepAt = { readonly attempt: number; readonly browser: string; readonly number: number };

const stepOf = ({ attempt, browser, number }: StepAt): StepAt => ({ attempt, browser, number });

const endingOf = ({
  status,
  error,
  durationMs,
}: {
  readonly status: "passed" | "failed" | "errored";
  readonly error: string | null;
  readonly durationMs: number;
}) => ({ status, error, duration_ms: durationMs });
