import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { cancelExecution, cancelRun } from "./cancellation.ts";
import { queueTimeout, unknownRun } from "./errors.ts";
import { type DataOf, type RunEvent, runCodec } from "./events.ts";
import { changeOutcome, recordOutcome } from "./outcomes.ts";
import { evolve, neverQueued, type Run } from "./state.ts";
import type { Verdict } from "./verdict.ts";

export type QueueRun = { readonly type: "queue" } & DataOf<"RunQueued">;

type ImportRun = { readonly type: "import" } & DataOf<"RunImported"> &
  Pick<DataOf<"ResultsImported">, "results">;

type ImportResults = { readonly type: "importResults" } & DataOf<"ResultsImported">;

export type RunCommand =
  | QueueRun
  /** Records the run of another tool, with the first part of its results. */
  | ImportRun
  /** Records a further part of the results of an imported run. */
  | ImportResults
  /** Makes a later `queue` fail, so that the reservation of the run can be released. */
  | { readonly type: "abandon"; readonly runId: string }
  | { readonly type: "start"; readonly runId: string }
  | { readonly type: "cancel"; readonly runId: string; readonly reason: "asked" | "overdue" }
  | { readonly type: "cancelExecution"; readonly runId: string; readonly executionId: string }
  | {
      readonly type: "recordOutcome" | "changeOutcome";
      readonly runId: string;
      readonly executionId: string;
      readonly status: Verdict;
    };

export const decide = (command: RunCommand, run: Run): readonly RunEvent[] => {
  switch (command.type) {
    case "queue":
      return queue(command, run);
    case "abandon":
      return run.status === "none"
        ? [{ type: "RunAbandoned", data: { runId: command.runId } }]
        : [];
    case "import":
      return importRun(command, run);
    case "importResults":
      return importResults(command, run);
    case "start":
      if (neverQueued(run)) throw unknownRun(command.runId);
      return run.status === "queued"
        ? [{ type: "RunStarted", data: { runId: command.runId } }]
        : [];
    case "recordOutcome":
      return recordOutcome(command, run);
    case "changeOutcome":
      return changeOutcome(command, run);
    case "cancel":
      return cancelRun(command, run);
    case "cancelExecution":
      return cancelExecution(command, run);
    default:
      return assertNever(command);
  }
};

const queue = ({ type: _, ...data }: QueueRun, run: Run): readonly RunEvent[] => {
  if (run.status === "abandoned") throw queueTimeout();
  return run.status === "none" ? [{ type: "RunQueued", data }] : [];
};

const importRun = ({ type: _, results, ...data }: ImportRun, run: Run): readonly RunEvent[] => {
  if (run.status !== "none") return [];
  const { runId, projectId } = data;
  return [
    { type: "RunImported", data },
    { type: "ResultsImported", data: { runId, projectId, part: 1, results } },
  ];
};

const importResults = ({ type: _, ...data }: ImportResults, run: Run): readonly RunEvent[] => {
  if (!("importedParts" in run)) throw unknownRun(data.runId);
  return data.part === (run.importedParts ?? 0) + 1 ? [{ type: "ResultsImported", data }] : [];
};

export const runDecider: Decider<Run, RunCommand, RunEvent> = {
  category: "run",
  initial: { status: "none" },
  codec: runCodec,
  evolve,
  decide,
};
