import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

/** Browsers as the API names them (operations.md, "Browser names"). */
export const browserName = z.enum(["chromium"]);
export type BrowserName = z.output<typeof browserName>;

/** The verdict of one test of a run. A pass after a failed attempt is `flaky`, never `passed`. */
export const verdict = z.enum(["passed", "flaky", "failed", "errored", "cancelled"]);
export type Verdict = z.output<typeof verdict>;

const totals = z.object({
  passed: z.int(),
  failed: z.int(),
  flaky: z.int(),
  errored: z.int(),
  cancelled: z.int(),
});
export type Totals = z.output<typeof totals>;

/** A test as a run pins it: what was asked to run does not change when the test does. */
export const plannedExecution = z.object({
  executionId: z.uuid(),
  testId: z.uuid(),
  testVersion: z.int().positive(),
  testName: z.string(),
  stepCount: z.int(),
});
export type PlannedExecution = z.output<typeof plannedExecution>;

const schemas = {
  RunQueued: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    target: z.enum(["cloud"]),
    browsers: z.array(browserName).min(1),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    grammarVersion: z.int(),
    /** The month whose quota the run was reserved from, `yyyymm`. */
    quotaPeriod: z.string(),
    executions: z.array(plannedExecution).min(1),
  }),
  /** It was not queued in time, and never will be: what was reserved for it is given back. */
  RunAbandoned: z.object({ runId: z.uuid() }),
  RunStarted: z.object({ runId: z.uuid() }),
  RunExecutionFinished: z.object({ runId: z.uuid(), executionId: z.uuid(), status: verdict }),
  RunFinished: z.object({
    runId: z.uuid(),
    status: z.enum(["passed", "failed", "errored"]),
    totals,
  }),
};

export type RunEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

type Outcomes = Readonly<Record<string, Verdict>>;

export type Run =
  | { readonly status: "none" | "abandoned" }
  | {
      readonly status: "queued" | "running";
      readonly planned: readonly string[];
      readonly outcomes: Outcomes;
    }
  | { readonly status: "passed" | "failed" | "errored" };

// ---------------------------------------------------------------- evolve

export const evolve = (run: Run, event: RunEvent): Run => {
  switch (event.type) {
    case "RunQueued":
      return {
        status: "queued",
        planned: event.data.executions.map((execution) => execution.executionId),
        outcomes: {},
      };
    case "RunAbandoned":
      return { status: "abandoned" };
    case "RunStarted":
      return run.status === "queued" ? { ...run, status: "running" } : run;
    case "RunExecutionFinished":
      return run.status === "queued" || run.status === "running"
        ? { ...run, outcomes: { ...run.outcomes, [event.data.executionId]: event.data.status } }
        : run;
    case "RunFinished":
      return { status: event.data.status };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type QueueRun = { readonly type: "queue" } & Extract<
  RunEvent,
  { type: "RunQueued" }
>["data"];

export type RunCommand =
  | QueueRun
  /** Before the reservation of a run that did not come is released: from then on it cannot come any more. */
  | { readonly type: "abandon"; readonly runId: string }
  | { readonly type: "start"; readonly runId: string }
  | {
      readonly type: "recordOutcome";
      readonly runId: string;
      readonly executionId: string;
      readonly status: Verdict;
    };

// ---------------------------------------------------------------- decide

export const decide = (command: RunCommand, run: Run): readonly RunEvent[] => {
  switch (command.type) {
    case "queue": {
      if (run.status === "abandoned") throw tooLate();
      if (run.status !== "none") return [];
      const { type: _, ...data } = command;
      return [{ type: "RunQueued", data }];
    }
    case "abandon":
      return run.status === "none"
        ? [{ type: "RunAbandoned", data: { runId: command.runId } }]
        : [];
    case "start":
      if (isNever(run)) throw unknownRun(command.runId);
      return run.status === "queued"
        ? [{ type: "RunStarted", data: { runId: command.runId } }]
        : [];
    case "recordOutcome": {
      if (isNever(run)) throw unknownRun(command.runId);
      if (run.status !== "queued" && run.status !== "running") return [];
      const { runId, executionId, status } = command;
      if (!run.planned.includes(executionId)) {
        throw new DomainError("run.foreignExecution", "The execution is not part of this run.");
      }
      if (run.outcomes[executionId] !== undefined) return [];
      const outcomes = { ...run.outcomes, [executionId]: status };
      const finished: RunEvent = {
        type: "RunExecutionFinished",
        data: { runId, executionId, status },
      };
      if (Object.keys(outcomes).length < run.planned.length) return [finished];
      const counted = count(Object.values(outcomes));
      return [
        finished,
        { type: "RunFinished", data: { runId, status: runVerdict(counted), totals: counted } },
      ];
    }
    default:
      return assertNever(command);
  }
};

/** The verdict of a run: errored before failed before passed; flaky counts as passed (domain.md, "Run"). */
export const runVerdict = (totals: Totals): "passed" | "failed" | "errored" => {
  if (totals.errored > 0 || totals.cancelled > 0) return "errored";
  return totals.failed > 0 ? "failed" : "passed";
};

const count = (verdicts: readonly Verdict[]): Totals => {
  const result = { passed: 0, failed: 0, flaky: 0, errored: 0, cancelled: 0 };
  for (const one of verdicts) result[one] += 1;
  return result;
};

const isNever = (run: Run): boolean => run.status === "none" || run.status === "abandoned";

/** The refusal of a run that could not be queued in time. */
export const tooLate = (): DomainError =>
  new DomainError(
    "run.queueTimeout",
    "The run could not be queued in time. Nothing was run; what was reserved is given back.",
  );

const unknownRun = (runId: string): DomainError =>
  new DomainError("run.unknown", `There is no run ${runId}.`);

export const runDecider: Decider<Run, RunCommand, RunEvent> = {
  category: "run",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
