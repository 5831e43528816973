import { assertNever } from "../kernel/errors.ts";
import type { RunEvent } from "./events.ts";
import type { Verdict } from "./verdict.ts";

type Outcomes = Readonly<Record<string, Verdict>>;

export type Run =
  | { readonly status: "none" | "abandoned" }
  | {
      readonly status: "queued" | "running";
      readonly planned: readonly string[];
      /** Executions whose test was in quarantine when the run was requested. */
      readonly quarantined: readonly string[];
      readonly outcomes: Outcomes;
      /** Reason for stopping the whole run; null if it is not being stopped. */
      readonly stopping: "asked" | "overdue" | null;
      /** Executions being cancelled one by one. */
      readonly stopped: readonly string[];
    }
  | {
      readonly status: "passed" | "failed" | "errored" | "cancelled";
      readonly outcomes: Outcomes;
      readonly quarantined: readonly string[];
      /** Number of parts recorded. Only imported runs have it. */
      readonly importedParts?: number;
    };

export const evolve = (run: Run, event: RunEvent): Run => {
  switch (event.type) {
    case "RunQueued":
      return {
        status: "queued",
        planned: event.data.executions.map((execution) => execution.executionId),
        quarantined: event.data.executions.flatMap(({ executionId, quarantinedUntil }) =>
          quarantinedUntil === undefined ? [] : [executionId],
        ),
        outcomes: {},
        stopping: null,
        stopped: [],
      };
    case "RunAbandoned":
      return { status: "abandoned" };
    case "RunStarted":
      return run.status === "queued" ? { ...run, status: "running" } : run;
    case "RunExecutionFinished":
      return isOpen(run)
        ? { ...run, outcomes: { ...run.outcomes, [event.data.executionId]: event.data.status } }
        : run;
    case "RunCancelRequested":
      return isOpen(run) ? { ...run, stopping: run.stopping ?? event.data.reason } : run;
    case "ExecutionCancelRequested":
      return isOpen(run) ? { ...run, stopped: [...run.stopped, event.data.executionId] } : run;
    case "RunFinished":
      return { status: event.data.status, ...outcomesOf(run) };
    case "RunCancelled":
      return { status: "cancelled", ...outcomesOf(run) };
    case "RunVerdictChanged": {
      const { executionId, outcome, status } = event.data;
      const { outcomes: before, quarantined } = outcomesOf(run);
      const outcomes = { ...before, [executionId]: outcome };
      if (isOpen(run)) return { ...run, outcomes };
      return status === null ? run : { status, outcomes, quarantined };
    }
    case "RunImported":
      return { status: event.data.status, outcomes: {}, quarantined: [], importedParts: 0 };
    case "ResultsImported":
      return "importedParts" in run ? { ...run, importedParts: event.data.part } : run;
    default:
      return assertNever(event);
  }
};

/** Outcomes recorded so far, and the executions in quarantine. */
export const outcomesOf = (
  run: Run,
): { readonly outcomes: Outcomes; readonly quarantined: readonly string[] } =>
  "outcomes" in run
    ? { outcomes: run.outcomes, quarantined: run.quarantined }
    : { outcomes: {}, quarantined: [] };

export type OpenRun = Extract<Run, { status: "queued" | "running" }>;

export const isOpen = (run: Run): run is OpenRun =>
  run.status === "queued" || run.status === "running";

export const neverQueued = (run: Run): boolean =>
  run.status === "none" || run.status === "abandoned";

/** Whether the execution is being stopped, alone or with its run. A queued execution then never starts. */
export const isStopping = (run: Run, executionId: string): boolean =>
  isOpen(run) && (run.stopping !== null || run.stopped.includes(executionId));

/** Fields that an event about the execution has if its test is in quarantine. */
export const quarantineMark = (run: Run, executionId: string): { quarantined?: true } =>
  outcomesOf(run).quarantined.includes(executionId) ? { quarantined: true } : {};
