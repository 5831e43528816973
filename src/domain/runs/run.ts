import { z } from "zod";
import { pinnedCall } from "../catalogue/calls.ts";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { importedSchemas } from "./imported.ts";
import { browserName, runVerdict, totals, totalsOf, type Verdict, verdict } from "./verdict.ts";

export {
  type BrowserName,
  browserName,
  type Verdict,
  verdict,
} from "./verdict.ts";

// ---------------------------------------------------------------- Events

/** A row of a test's data, as a run pins it. */
export const plannedRow = z.object({
  number: z.int().positive(),
  values: z.record(z.string(), z.string()),
});

/** An environment as a run pins it. Its secrets are read when they are needed, and stand nowhere. */
export const pinnedEnvironment = z.object({
  environmentId: z.uuid(),
  name: z.string(),
  baseUrl: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
});
export type PinnedEnvironment = z.output<typeof pinnedEnvironment>;

/** A test as a run pins it: what was asked to run does not change when the test does. */
export const plannedExecution = z.object({
  executionId: z.uuid(),
  testId: z.uuid(),
  testVersion: z.int().positive(),
  testName: z.string(),
  stepCount: z.int(),
  /** Of the test's baselines, how many events count for this run. Absent: none. */
  baselineVersion: z.int().nonnegative().optional(),
  /** The project that the test was in: its files are there. Absent: none. */
  projectId: z.uuid().optional(),
  /** Which of the run's environments it runs in. Absent: none. */
  environmentId: z.uuid().optional(),
  /** The row of data that it runs with, by its number from 1. Absent: the test has none. */
  row: plannedRow.optional(),
  /** Until when its test was in quarantine as the run was asked for. Absent: it was in none. */
  quarantinedUntil: z.string().optional(),
});
export type PlannedExecution = z.output<typeof plannedExecution>;

/** Who runs it: the service's own executors, or agents of the organisation, on machines of its own. */
export const runTarget = z.enum(["cloud", "agent"]);
export type RunTarget = z.output<typeof runTarget>;

const limitMs = z.int().positive();
/** How long each part of a run may take, as the organisation had it when the run was queued. In milliseconds. */
export const runLimits = z.object({
  /** An action of a step; what is asserted has half of it, a page to load three times as much. */
  stepMs: limitMs,
  /** One attempt of a test in one browser. */
  testMs: limitMs,
  /** The whole run, from when it was queued. */
  runMs: limitMs,
});
export type RunLimits = z.output<typeof runLimits>;

/** How often a test that did not pass is tried again at most. */
export const MAX_RETRIES = 5;
/** What a run can have recorded besides steps, pictures and consoles. */
export const evidenceKinds = z.array(z.enum(["trace", "har", "video"]));
export type EvidenceKind = z.output<typeof evidenceKinds>[number];

export const retries = z.int().min(0).max(MAX_RETRIES);

const schemas = {
  RunQueued: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    target: runTarget,
    browsers: z.array(browserName).min(1),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    grammarVersion: z.int(),
    /** The month whose quota the run was reserved from, `yyyymm`. */
    quotaPeriod: z.string(),
    executions: z.array(plannedExecution).min(1),
    /** Absent: none. */
    retries: retries.optional(),
    evidence: evidenceKinds.optional(),
    /** Absent in runs of before there were any. */
    limits: runLimits.optional(),
    /** The run of which this one is a repetition. */
    rerunOf: z.uuid().optional(),
    /** The test set whose tests these are; absent where tests were named otherwise. */
    testSetId: z.uuid().optional(),
    /** Whether pictures, traces and the like may show secrets: what the organisation said when it was queued. Absent: they may not. */
    showsSecrets: z.boolean().optional(),
    /** The environment as it was asked for: a name, or an id. Absent: none. */
    environment: z.string().optional(),
    environments: z.array(pinnedEnvironment).optional(),
    /** What the tests of the run call, and what that calls. */
    calls: z.array(pinnedCall).optional(),
  }),
  /** It was not queued in time, and never will be: what was reserved for it is given back. */
  RunAbandoned: z.object({ runId: z.uuid() }),
  RunStarted: z.object({ runId: z.uuid() }),
  RunExecutionFinished: z.object({
    runId: z.uuid(),
    executionId: z.uuid(),
    status: verdict,
    /** Its test was in quarantine. Absent: it was not. */
    quarantined: z.literal(true).optional(),
  }),
  /** What had not ended by then is stopped: because somebody asked for it, or because the run took too long. */
  RunCancelRequested: z.object({
    runId: z.uuid(),
    reason: z.enum(["asked", "overdue"]),
    executionIds: z.array(z.uuid()),
  }),
  ExecutionCancelRequested: z.object({ runId: z.uuid(), executionId: z.uuid() }),
  RunFinished: z.object({
    runId: z.uuid(),
    status: z.enum(["passed", "failed", "errored"]),
    totals,
  }),
  RunCancelled: z.object({ runId: z.uuid(), totals }),
  /** A test that had ended was judged anew. `status` null while the run is under way. */
  RunVerdictChanged: z.object({
    runId: z.uuid(),
    executionId: z.uuid(),
    before: verdict,
    outcome: verdict,
    status: z.enum(["passed", "failed", "errored", "cancelled"]).nullable(),
    totals,
    quarantined: z.literal(true).optional(),
  }),
  ...importedSchemas,
};

export type RunEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

type Outcomes = Readonly<Record<string, Verdict>>;

export type Run =
  | { readonly status: "none" | "abandoned" }
  | {
      readonly status: "queued" | "running";
      readonly planned: readonly string[];
      /** Those of them whose test was in quarantine when the run was asked for. */
      readonly quarantined: readonly string[];
      readonly outcomes: Outcomes;
      /** Why the whole run is to stop; null while it is not. */
      readonly stopping: "asked" | "overdue" | null;
      /** Executions that are to stop by themselves. */
      readonly stopped: readonly string[];
    }
  | {
      readonly status: "passed" | "failed" | "errored" | "cancelled";
      readonly outcomes: Outcomes;
      readonly quarantined: readonly string[];
      /** Of a run that others ran: how many parts of its results have come. */
      readonly importedParts?: number;
    };

// ---------------------------------------------------------------- evolve

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
      return { status: event.data.status, ...foundOf(run) };
    case "RunCancelled":
      return { status: "cancelled", ...foundOf(run) };
    case "RunVerdictChanged": {
      const { executionId, outcome, status } = event.data;
      const { outcomes: before, quarantined } = foundOf(run);
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

/** What its tests came to, as far as they have ended, and which of them are in quarantine. */
const foundOf = (
  run: Run,
): { readonly outcomes: Outcomes; readonly quarantined: readonly string[] } =>
  "outcomes" in run
    ? { outcomes: run.outcomes, quarantined: run.quarantined }
    : { outcomes: {}, quarantined: [] };

// ---------------------------------------------------------------- Commands

type DataOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>["data"];

export type QueueRun = { readonly type: "queue" } & DataOf<"RunQueued">;

export type RunCommand =
  | QueueRun
  /** A run of others, with the first part of its results. */
  | ({ readonly type: "import" } & DataOf<"RunImported"> &
      Pick<DataOf<"ResultsImported">, "results">)
  /** A further part. */
  | ({ readonly type: "importResults" } & DataOf<"ResultsImported">)
  /** Before the reservation of a run that did not come is released: from then on it cannot come any more. */
  | { readonly type: "abandon"; readonly runId: string }
  | { readonly type: "start"; readonly runId: string }
  /** Stops what has not ended: somebody asks for it, or it takes too long. */
  | { readonly type: "cancel"; readonly runId: string; readonly reason: "asked" | "overdue" }
  | { readonly type: "cancelExecution"; readonly runId: string; readonly executionId: string }
  | {
      readonly type: "recordOutcome";
      readonly runId: string;
      readonly executionId: string;
      readonly status: Verdict;
    }
  /** A test that had ended comes out differently: the run's verdict follows. */
  | {
      readonly type: "changeOutcome";
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
    case "import": {
      if (run.status !== "none") return [];
      const { type: _, results, ...data } = command;
      const { runId, projectId } = data;
      return [
        { type: "RunImported", data },
        { type: "ResultsImported", data: { runId, projectId, part: 1, results } },
      ];
    }
    case "importResults": {
      if (!("importedParts" in run)) throw unknownRun(command.runId);
      const { type: _, ...data } = command;
      return data.part === (run.importedParts ?? 0) + 1 ? [{ type: "ResultsImported", data }] : [];
    }
    case "start":
      if (isNever(run)) throw unknownRun(command.runId);
      return run.status === "queued"
        ? [{ type: "RunStarted", data: { runId: command.runId } }]
        : [];
    case "recordOutcome": {
      if (isNever(run)) throw unknownRun(command.runId);
      if (!isOpen(run)) return [];
      const { runId, executionId, status } = command;
      if (!run.planned.includes(executionId)) throw foreignExecution();
      if (run.outcomes[executionId] !== undefined) return [];
      const outcomes = { ...run.outcomes, [executionId]: status };
      const finished: RunEvent = {
        type: "RunExecutionFinished",
        data: { runId, executionId, status, ...markOf(run, executionId) },
      };
      if (Object.keys(outcomes).length < run.planned.length) return [finished];
      const counted = totalsOf(outcomes, run.quarantined);
      const verdict = run.stopping === "asked" ? "cancelled" : runVerdict(counted);
      return [
        finished,
        verdict === "cancelled"
          ? { type: "RunCancelled", data: { runId, totals: counted } }
          : { type: "RunFinished", data: { runId, status: verdict, totals: counted } },
      ];
    }
    case "cancel": {
      if (isNever(run)) throw unknownRun(command.runId);
      if (!isOpen(run)) {
        if (run.status === "cancelled" || command.reason === "overdue") return [];
        throw isOver();
      }
      if (run.stopping !== null) return [];
      const { runId, reason } = command;
      const executionIds = run.planned.filter((id) => run.outcomes[id] === undefined);
      return [{ type: "RunCancelRequested", data: { runId, reason, executionIds } }];
    }
    case "cancelExecution": {
      if (isNever(run)) throw unknownRun(command.runId);
      const { runId, executionId } = command;
      if (!isOpen(run)) {
        if (run.status === "cancelled") return [];
        throw isOver();
      }
      if (!run.planned.includes(executionId)) throw foreignExecution();
      if (isToStop(run, executionId)) return [];
      const outcome = run.outcomes[executionId];
      if (outcome === "cancelled") return [];
      if (outcome !== undefined) throw isOver();
      return [{ type: "ExecutionCancelRequested", data: { runId, executionId } }];
    }
    case "changeOutcome": {
      if (isNever(run)) throw unknownRun(command.runId);
      const { runId, executionId, status: outcome } = command;
      const { outcomes, quarantined } = foundOf(run);
      const before = outcomes[executionId];
      if (before === undefined || before === outcome) return [];
      const totals = totalsOf({ ...outcomes, [executionId]: outcome }, quarantined);
      const ended = run.status === "cancelled" ? run.status : runVerdict(totals);
      const status = isOpen(run) ? null : ended;
      return [
        {
          type: "RunVerdictChanged",
          data: {
            runId,
            executionId,
            before,
            outcome,
            status,
            totals,
            ...markOf(run, executionId),
          },
        },
      ];
    }
    default:
      return assertNever(command);
  }
};

type Open = Extract<Run, { status: "queued" | "running" }>;

const isOpen = (run: Run): run is Open => run.status === "queued" || run.status === "running";

/** Whether an execution of a run is to be stopped, or not to be begun at all. */
export const isToStop = (run: Run, executionId: string): boolean =>
  isOpen(run) && (run.stopping !== null || run.stopped.includes(executionId));

/** What an event says of an execution whose test is in quarantine. */
const markOf = (run: Run, executionId: string): { quarantined?: true } =>
  foundOf(run).quarantined.includes(executionId) ? { quarantined: true } : {};

const isNever = (run: Run): boolean => run.status === "none" || run.status === "abandoned";

/** The refusal of a run that could not be queued in time. */
export const tooLate = (): DomainError =>
  new DomainError(
    "run.queueTimeout",
    "The run could not be queued in time. Nothing was run; what was reserved is given back.",
  );

const foreignExecution = (): DomainError =>
  new DomainError("run.foreignExecution", "The execution is not part of this run.");

const isOver = (): DomainError =>
  new DomainError("run.finished", "It has ended already: there is nothing to cancel.");

const unknownRun = (runId: string): DomainError =>
  new DomainError("run.unknown", `There is no run ${runId}.`);

export const runDecider: Decider<Run, RunCommand, RunEvent> = {
  category: "run",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
