import { assertNever } from "../kernel/errors.ts";
import type { RunEvent } from "./events.ts";
import type { ExecutionEvent } from "./executions/events.ts";
import type { ProgressEvent } from "./executions/progress.ts";
import type { BrowserName } from "./verdict.ts";

/** Names of the events sent to watchers of a run (`/ws/execution`). */
export const runEventNames = [
  "run_queued",
  "run_started",
  "execution_queued",
  "execution_started",
  "browser_started",
  "step_started",
  "step_passed",
  "step_failed",
  "step_skipped",
  "screenshot_taken",
  "visual_compared",
  "locator_healed",
  "browser_finished",
  "execution_redelivered",
  "execution_finished",
  "execution_cancelled",
  "run_finished",
  "run_cancelled",
] as const;
export type RunEventName = (typeof runEventNames)[number];

/** A log event in the form sent to watchers, not numbered yet. `data` is JSON in the API's format. */
export type WatchedEvent = {
  readonly run_id: string;
  readonly name: RunEventName;
  readonly execution_id: string | null;
  readonly browser: BrowserName | null;
  readonly attempt: number | null;
  readonly delivery: number | null;
  readonly step_number: number | null;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A watched event with its sequence number: 1, 2, 3 … per run, without gaps. The body of an `event` message. */
export type NumberedRunEvent = WatchedEvent & { readonly sequence: number; readonly at: string };

/** Log event types sent to watchers. The projection of watched events handles them. */
export const watchedTypes = [
  "RunQueued",
  "RunStarted",
  "RunFinished",
  "RunCancelled",
  "ExecutionQueued",
  "ExecutionClaimed",
  "BrowserStarted",
  "StepStarted",
  "StepPassed",
  "StepFailed",
  "StepSkipped",
  "ScreenshotTaken",
  "VisualCompared",
  "LocatorHealed",
  "BrowserFinished",
  "ExecutionFinished",
  "ExecutionCancelled",
] as const satisfies readonly (RunEvent | ExecutionEvent)["type"][];

type Details = { readonly [Key in "browser" | "attempt" | "delivery" | "number"]?: unknown };

/**
 * Converts a log event to the form sent to watchers; null if it is not sent. `subjectId` is the id in the
 * stream name: a run or an execution.
 *
 * The first delivery of an execution is `execution_started`, later ones are `execution_redelivered`: steps of
 * earlier deliveries no longer count. A rebuild numbers the events again, so a new name is allowed for new
 * event types only.
 */
export const watched = (
  event: RunEvent | ExecutionEvent,
  subjectId: string,
): WatchedEvent | null => {
  switch (event.type) {
    case "RunQueued": {
      const { executions, browsers } = event.data;
      return ofRun(subjectId, "run_queued", { executions: executions.length, browsers });
    }
    case "RunStarted":
      return ofRun(subjectId, "run_started", {});
    case "RunFinished": {
      const { status, totals } = event.data;
      return ofRun(subjectId, "run_finished", { status, totals });
    }
    case "RunCancelled":
      return ofRun(subjectId, "run_cancelled", { status: "cancelled", totals: event.data.totals });
    case "ExecutionQueued": {
      const { testId, testName, stepCount, browsers } = event.data;
      return ofExecution(
        subjectId,
        "execution_queued",
        { runId: event.data.runId },
        {
          test_id: testId,
          test_name: testName,
          steps_total: stepCount,
          browsers,
        },
      );
    }
    case "ExecutionClaimed": {
      const name = event.data.delivery === 1 ? "execution_started" : "execution_redelivered";
      return ofExecution(subjectId, name, event.data, {});
    }
    case "BrowserStarted":
    case "StepStarted":
    case "StepPassed":
    case "StepFailed":
    case "StepSkipped":
    case "ScreenshotTaken":
    case "VisualCompared":
    case "LocatorHealed":
    case "BrowserFinished":
      return watchedProgress(event, subjectId);
    case "ExecutionFinished": {
      const { status, durationMs, error } = event.data;
      return ofExecution(
        subjectId,
        "execution_finished",
        { runId: event.data.runId },
        {
          status,
          duration_ms: durationMs,
          error,
        },
      );
    }
    case "ExecutionCancelled":
      return ofExecution(
        subjectId,
        "execution_cancelled",
        { runId: event.data.runId },
        { status: "cancelled" },
      );
    case "EvidenceKept":
    case "ScreenshotLost":
    case "RunAbandoned":
    case "RunImported":
    case "ResultsImported":
    case "RunCancelRequested":
    case "ExecutionCancelRequested":
    case "RunExecutionFinished":
    case "RunVerdictChanged":
    case "VisualRejudged":
    case "ExecutionVerdictChanged":
    case "AttemptFinished":
    case "ExecutionReturned":
    case "ExecutionLeaseExpired":
    case "EvidenceExpired":
    case "EvidenceDeleted":
      return null;
    default:
      return assertNever(event);
  }
};

type Progress = Extract<
  ProgressEvent,
  {
    type:
      | "BrowserStarted"
      | "StepStarted"
      | "StepPassed"
      | "StepFailed"
      | "StepSkipped"
      | "ScreenshotTaken"
      | "VisualCompared"
      | "LocatorHealed"
      | "BrowserFinished";
  }
>;

const watchedProgress = (event: Progress, subjectId: string): WatchedEvent => {
  switch (event.type) {
    case "BrowserStarted":
      return ofExecution(subjectId, "browser_started", event.data, {
        browser_version: event.data.browserVersion,
      });
    case "StepStarted":
      return ofExecution(subjectId, "step_started", event.data, {});
    case "StepPassed": {
      const { durationMs, locator } = event.data;
      return ofExecution(subjectId, "step_passed", event.data, {
        duration_ms: durationMs,
        locator,
      });
    }
    case "StepFailed": {
      const { durationMs, locator, error, passedOver } = event.data;
      return ofExecution(subjectId, "step_failed", event.data, {
        duration_ms: durationMs,
        locator,
        error,
        passed_over: passedOver,
      });
    }
    case "StepSkipped": {
      const { reason, gap } = event.data;
      return ofExecution(subjectId, "step_skipped", event.data, { reason, ...(gap && { gap }) });
    }
    case "ScreenshotTaken": {
      const { format, name } = event.data;
      return ofExecution(subjectId, "screenshot_taken", event.data, { format, name });
    }
    case "VisualCompared": {
      const { outcome, pixels, ratio, sizeDiffers, viewport } = event.data;
      const size_differs = sizeDiffers;
      return ofExecution(subjectId, "visual_compared", event.data, {
        outcome,
        pixels,
        ratio,
        size_differs,
        viewport,
      });
    }
    case "LocatorHealed": {
      const { target, healedTarget, score } = event.data;
      return ofExecution(subjectId, "locator_healed", event.data, {
        target,
        healed_target: healedTarget,
        score,
      });
    }
    case "BrowserFinished": {
      const { status, durationMs, error } = event.data;
      return ofExecution(subjectId, "browser_finished", event.data, {
        status,
        duration_ms: durationMs,
        error,
      });
    }
    default:
      return assertNever(event);
  }
};

const ofRun = (
  subjectId: string,
  name: RunEventName,
  data: WatchedEvent["data"],
): WatchedEvent => ({
  run_id: subjectId,
  name,
  execution_id: null,
  browser: null,
  attempt: null,
  delivery: null,
  step_number: null,
  data,
});
const ofExecution = (
  subjectId: string,
  name: RunEventName,
  at: Details & { readonly runId: string },
  data: WatchedEvent["data"],
): WatchedEvent => ({
  run_id: at.runId,
  name,
  execution_id: subjectId,
  browser: (at.browser as BrowserName | undefined) ?? null,
  attempt: (at.attempt as number | undefined) ?? null,
  delivery: (at.delivery as number | undefined) ?? null,
  step_number: (at.number as number | undefined) ?? null,
  data,
});
