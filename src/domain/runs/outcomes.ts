import { foreignExecution, unknownRun } from "./errors.ts";
import type { RunEvent } from "./events.ts";
import { isOpen, neverQueued, outcomesOf, quarantineMark, type Run } from "./state.ts";
import { runVerdict, totalsOf, type Verdict } from "./verdict.ts";

type Outcome = {
  readonly runId: string;
  readonly executionId: string;
  readonly status: Verdict;
};

/** Records the verdict of an execution. The last one finishes the run. Throws `run.unknown`, `run.foreignExecution`. */
export const recordOutcome = (
  { runId, executionId, status }: Outcome,
  run: Run,
): readonly RunEvent[] => {
  if (neverQueued(run)) throw unknownRun(runId);
  if (!isOpen(run)) return [];
  if (!run.planned.includes(executionId)) throw foreignExecution();
  if (run.outcomes[executionId] !== undefined) return [];
  const outcomes = { ...run.outcomes, [executionId]: status };
  const finished: RunEvent = {
    type: "RunExecutionFinished",
    data: { runId, executionId, status, ...quarantineMark(run, executionId) },
  };
  if (Object.keys(outcomes).length < run.planned.length) return [finished];
  const totals = totalsOf(outcomes, run.quarantined);
  const verdict = run.stopping === "asked" ? "cancelled" : runVerdict(totals);
  return [
    finished,
    verdict === "cancelled"
      ? { type: "RunCancelled", data: { runId, totals } }
      : { type: "RunFinished", data: { runId, status: verdict, totals } },
  ];
};

/** Replaces the recorded verdict of an execution, and the verdict of the run with it. Throws `run.unknown`. */
export const changeOutcome = (
  { runId, executionId, status: outcome }: Outcome,
  run: Run,
): readonly RunEvent[] => {
  if (neverQueued(run)) throw unknownRun(runId);
  const { outcomes, quarantined } = outcomesOf(run);
  const before = outcomes[executionId];
  if (before === undefined || before === outcome) return [];
  const totals = totalsOf({ ...outcomes, [executionId]: outcome }, quarantined);
  const ended = run.status === "cancelled" ? run.status : runVerdict(totals);
  const status = isOpen(run) ? null : ended;
  const mark = quarantineMark(run, executionId);
  return [
    {
      type: "RunVerdictChanged",
      data: { runId, executionId, before, outcome, status, totals, ...mark },
    },
  ];
};
