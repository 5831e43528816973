import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/** The events during and at the end of a test. The end of a run is not among them: users wait for it. */
const PROGRESS_EVENTS: ReadonlySet<string> = new Set([
  ...[
    "ExecutionClaimed",
    "BrowserStarted",
    "StepStarted",
    "StepPassed",
    "StepFailed",
    "StepSkipped",
  ],
  ...["ScreenshotTaken", "EvidenceKept", "BrowserFinished", "AttemptFinished", "ExecutionFinished"],
  ...["RunStarted", "RunExecutionFinished", "ReservationUsed"],
]);

/** Whether read models may defer an event: progress of a test in a run that nobody watches. */
export const isDeferrable =
  (isWatched: (runId: string) => boolean) =>
  ({ type, data }: Pick<RecordedEvent, "type" | "data">): boolean => {
    if (!PROGRESS_EVENTS.has(type)) return false;
    const runId = (data as { readonly runId?: unknown }).runId;
    return typeof runId === "string" && !isWatched(runId);
  };
