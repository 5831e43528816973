import { foreignExecution, runFinished, unknownRun } from "./errors.ts";
import type { RunEvent } from "./events.ts";
import { isOpen, isStopping, neverQueued, type Run } from "./state.ts";

/** Requests the end of every open execution. Throws `run.unknown`, `run.finished`. */
export const cancelRun = (
  { runId, reason }: { readonly runId: string; readonly reason: "asked" | "overdue" },
  run: Run,
): readonly RunEvent[] => {
  if (neverQueued(run)) throw unknownRun(runId);
  if (!isOpen(run)) {
    if (run.status === "cancelled" || reason === "overdue") return [];
    throw runFinished();
  }
  if (run.stopping !== null) return [];
  const executionIds = run.planned.filter((id) => run.outcomes[id] === undefined);
  return [{ type: "RunCancelRequested", data: { runId, reason, executionIds } }];
};

/** Requests the end of one execution. Throws `run.unknown`, `run.foreignExecution`, `run.finished`. */
export const cancelExecution = (
  { runId, executionId }: { readonly runId: string; readonly executionId: string },
  run: Run,
): readonly RunEvent[] => {
  if (neverQueued(run)) throw unknownRun(runId);
  if (!isOpen(run)) {
    if (run.status === "cancelled") return [];
    throw runFinished();
  }
  if (!run.planned.includes(executionId)) throw foreignExecution();
  if (isStopping(run, executionId)) return [];
  const outcome = run.outcomes[executionId];
  if (outcome === "cancelled") return [];
  if (outcome !== undefined) throw runFinished();
  return [{ type: "ExecutionCancelRequested", data: { runId, executionId } }];
};
