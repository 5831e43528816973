import { z } from "zod";
import type { StopReason } from "../../platform/state/dispatchQueue.ts";

/** On the bus: an execution that a worker has is to stop. What the bus loses stands in the dispatcher's table. */
export const STOP_SUBJECT = "executions.stop";

const stop = z.object({ execution_id: z.uuid(), reason: z.enum(["asked", "overdue"]) });

/** What a message says, null when it is none of ours. */
export const decodeStop = (
  payload: string,
): { readonly executionId: string; readonly reason: StopReason } | null => {
  try {
    const { execution_id, reason } = stop.parse(JSON.parse(payload));
    return { executionId: execution_id, reason };
  } catch {
    return null;
  }
};

/** What an execution that is stopped ends with: null for one that somebody cancelled. */
export const stopError = (reason: StopReason): string | null =>
  reason === "asked"
    ? null
    : "The run took longer than its organisation allows (run_timeout_seconds): what had not ended by then was stopped.";
