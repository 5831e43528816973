import { DomainError } from "../../domain/kernel/errors.ts";
import type { RunEvent } from "../../domain/runs/events.ts";
import type { PlannedExecution } from "../../domain/runs/pinned.ts";
import { type RunCommand, runDecider } from "../../domain/runs/run.ts";
import type { Run } from "../../domain/runs/state.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";
import type { PinTests } from "./pinnedTests.ts";
import type { QueuedRuns, QueueRunsInput } from "./runs.ts";

/** A run after a stop request. */
export type Stopped = {
  readonly status: Exclude<Run["status"], "none" | "abandoned">;
  readonly receipt: Receipt;
};

export type RunControlCommands = ReturnType<typeof runControlCommands>;

type ControlDeps = {
  readonly loop: CommandLoop;
  readonly log: Pick<EventLog, "readStream">;
  readonly pinTests: PinTests;
  readonly queueRuns: (context: CommandContext, input: QueueRunsInput) => Promise<QueuedRuns>;
};

/** Stopping runs, and running them again. */
export const runControlCommands = (deps: ControlDeps) => ({
  cancelRun: cancelRun.bind(null, deps),
  cancelExecution: cancelExecution.bind(null, deps),
  rerun: rerun.bind(null, deps),
});

/**
 * Stops a run: queued executions never start, running ones are ended by their worker. A repeated request has no
 * effect. Throws `run.unknown`, `run.finished`.
 */
const cancelRun = (deps: ControlDeps, context: CommandContext, runId: string): Promise<Stopped> =>
  stop(deps, context, { type: "cancel", runId, reason: "asked" });

/** Stops one execution of a run. Throws `run.unknown`, `run.foreignExecution`, `run.finished`. */
const cancelExecution = (
  deps: ControlDeps,
  context: CommandContext,
  runId: string,
  executionId: string,
): Promise<Stopped> => stop(deps, context, { type: "cancelExecution", runId, executionId });

const stop = async (
  { loop }: ControlDeps,
  context: CommandContext,
  command: RunCommand,
): Promise<Stopped> => {
  const executed = await loop.execute(runDecider, command.runId, command, context);
  const { status } = executed.state;
  if (status === "none" || status === "abandoned") throw unknownRun(command.runId);
  return { status, receipt: receiptOf(executed) };
};

/**
 * Queues a run with the selection of another run and the current versions of its tests, which have often been fixed
 * since. Deleted tests are left out. Quota is reserved as for any run. Throws as `queueRuns`, and `run.unknown`,
 * `run.notFinished`, `run.nothingFailed`, `run.fileContent`.
 */
const rerun = async (
  deps: ControlDeps,
  context: CommandContext,
  runId: string,
  { failedOnly }: { readonly failedOnly: boolean },
): Promise<QueuedRuns> => {
  const history = await historyOf(deps, runId);
  const queued = queuedOf(history, runId);
  const passed = passedIn(history);
  const chosen = queued.executions.filter((one) => !failedOnly || !passed.has(one.executionId));
  if (chosen.length === 0) {
    throw new DomainError("run.nothingFailed", "Every test of the run has passed.");
  }
  const file = chosen.find(({ content }) => content);
  if (file) {
    throw new DomainError(
      "run.fileContent",
      `The run executed the content of files, such as ${file.source}. Run \`runledger cloud-run\` with these files again.`,
    );
  }
  const testIds = [...new Set(chosen.map(({ testId }) => testId))];
  const there = await deps.pinTests(context.organizationId ?? "", { testIds });
  const known = new Set(there.filter((test) => test.stepCount > 0).map((test) => test.testId));
  const left = testIds.filter((id) => known.has(id));
  if (left.length === 0) {
    throw new DomainError("run.nothingToRun", "None of these tests is there any more.");
  }
  const { browsers, baseUrl, variables, retries, evidence, target, environment } = queued;
  return deps.queueRuns(context, {
    selection: { testIds: left },
    ...{ browsers, baseUrl, variables, retries, evidence, target, environment },
    rows: rowsOf(chosen),
    rerunOf: runId,
  });
};

const historyOf = async ({ log }: ControlDeps, runId: string): Promise<readonly RunEvent[]> => {
  const events: RunEvent[] = [];
  for await (const { type, data, metadata } of log.readStream(`${runDecider.category}-${runId}`))
    events.push(runDecider.codec.decode({ type, data, schemaVersion: metadata.schema_version }));
  return events;
};

/** The request of a run that has ended. Throws `run.imported`, `run.unknown`, `run.notFinished`. */
const queuedOf = (
  history: readonly RunEvent[],
  runId: string,
): Extract<RunEvent, { type: "RunQueued" }>["data"] => {
  const [queued] = history;
  if (queued?.type === "RunImported") {
    throw new DomainError(
      "run.imported",
      "This run was imported: its tests have no steps here. Run them with the tool that they were written for, and import the report.",
    );
  }
  if (queued?.type !== "RunQueued") throw unknownRun(runId);
  if (!history.some(({ type }) => type === "RunFinished" || type === "RunCancelled")) {
    throw new DomainError("run.notFinished", "The run has not ended yet. Cancel it first.");
  }
  return queued.data;
};

/** The ids of the executions that passed. */
const passedIn = (history: readonly RunEvent[]): ReadonlySet<string> =>
  new Set(
    history.flatMap((event) =>
      event.type === "RunExecutionFinished" && PASSED.has(event.data.status)
        ? [event.data.executionId]
        : [],
    ),
  );

/** The data rows of the executions by test. A test without an entry runs with all rows that it has now. */
const rowsOf = (
  executions: readonly PlannedExecution[],
): ReadonlyMap<string, readonly number[]> => {
  const rows = new Map<string, number[]>();
  for (const { testId, row } of executions) {
    if (row) rows.set(testId, [...(rows.get(testId) ?? []), row.number]);
  }
  return rows;
};

const PASSED: ReadonlySet<string> = new Set(["passed", "flaky"]);

const unknownRun = (runId: string): DomainError =>
  new DomainError("run.unknown", `There is no run ${runId}.`);
