import type { RunEvent } from "./events.ts";
import type { ExecutionEvent } from "./executions/events.ts";
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
export const watched = (event: LogEvent, subjectId: string): WatchedEvent | null => {
  const convert = converters[event.type] as Converter<LogEvent> | null;
  return convert === null ? null : convert(event, subjectId);
};

type LogEvent = RunEvent | ExecutionEvent;

type Converter<Event> = (event: Event, subjectId: string) => WatchedEvent;

/** The conversion of each event type; null if it is not sent. */
const converters: {
  readonly [Type in LogEvent["type"]]: Converter<Extract<LogEvent, { type: Type }>> | null;
} = {
  RunQueued: ({ data: { executions, browsers } }, id) =>
    ofRun(id, "run_queued", { executions: executions.length, browsers }),
  RunStarted: (_, id) => ofRun(id, "run_started", {}),
  RunFinished: ({ data: { status, totals } }, id) => ofRun(id, "run_finished", { status, totals }),
  RunCancelled: ({ data: { totals } }, id) =>
    ofRun(id, "run_cancelled", { status: "cancelled", totals }),
  ExecutionQueued: ({ data: { runId, ...data } }, id) =>
    ofExecution(
      id,
      "execution_queued",
      { runId },
      {
        test_id: data.testId,
        test_name: data.testName,
        steps_total: data.stepCount,
        browsers: data.browsers,
      },
    ),
  ExecutionClaimed: ({ data }, id) => {
    const name = data.delivery === 1 ? "execution_started" : "execution_redelivered";
    return ofExecution(id, name, data, {});
  },
  BrowserStarted: ({ data }, id) =>
    ofExecution(id, "browser_started", data, { browser_version: data.browserVersion }),
  StepStarted: ({ data }, id) => ofExecution(id, "step_started", data, {}),
  StepPassed: ({ data }, id) =>
    ofExecution(id, "step_passed", data, { duration_ms: data.durationMs, locator: data.locator }),
  StepFailed: ({ data }, id) =>
    ofExecution(id, "step_failed", data, {
      duration_ms: data.durationMs,
      locator: data.locator,
      error: data.error,
      passed_over: data.passedOver,
    }),
  StepSkipped: ({ data }, id) => {
    const { reason, gap } = data;
    return ofExecution(id, "step_skipped", data, { reason, ...(gap && { gap }) });
  },
  ScreenshotTaken: ({ data }, id) =>
    ofExecution(id, "screenshot_taken", data, { format: data.format, name: data.name }),
  VisualCompared: ({ data }, id) => {
    const { outcome, pixels, ratio, sizeDiffers: size_differs, viewport } = data;
    const found = { outcome, pixels, ratio, size_differs, viewport };
    return ofExecution(id, "visual_compared", data, found);
  },
  LocatorHealed: ({ data }, id) =>
    ofExecution(id, "locator_healed", data, {
      target: data.target,
      healed_target: data.healedTarget,
      score: data.score,
    }),
  BrowserFinished: ({ data }, id) => ofExecution(id, "browser_finished", data, endOf(data)),
  ExecutionFinished: ({ data }, id) =>
    ofExecution(id, "execution_finished", { runId: data.runId }, endOf(data)),
  ExecutionCancelled: ({ data: { runId } }, id) =>
    ofExecution(id, "execution_cancelled", { runId }, { status: "cancelled" }),
  EvidenceKept: null,
  ScreenshotLost: null,
  RunAbandoned: null,
  RunImported: null,
  ResultsImported: null,
  RunCancelRequested: null,
  ExecutionCancelRequested: null,
  RunExecutionFinished: null,
  RunVerdictChanged: null,
  VisualRejudged: null,
  ExecutionVerdictChanged: null,
  AttemptFinished: null,
  ExecutionReturned: null,
  ExecutionLeaseExpired: null,
  EvidenceExpired: null,
  EvidenceDeleted: null,
};

const endOf = ({
  status,
  durationMs,
  error,
}: {
  readonly status: string;
  readonly durationMs: number;
  readonly error: string | null;
}) => ({ status, duration_ms: durationMs, error });

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
