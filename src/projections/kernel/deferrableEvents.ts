import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/**
 * What is told of a test on its way and at its end. Nobody waits for its place in the log; the end of a run is not
 * among it, for which people do wait.
 */
const ON_THE_WAY: ReadonlySet<string> = new Set([
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

/** Whether the read models may leave an event until more have come: it is of a test on its way in a run that nobody watches. */
export const isDeferrable =
  (isWatched: (runId: string) => boolean) =>
  ({ type, data }: Pick<RecordedEvent, "type" | "data">): boolean => {
    if (!ON_THE_WAY.has(type)) return false;
    const runId = (data as { readonly runId?: unknown }).runId;
    return typeof runId === "string" && !isWatched(runId);
  };
