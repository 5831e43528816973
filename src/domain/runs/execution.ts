import { z } from "zod";
import { pictureSchema, viewportText } from "../baselines/picture.ts";
import { visualSettings } from "../baselines/settings.ts";
import { pinnedCall } from "../catalogue/calls.ts";
import { healedSchema } from "../healing/healing.ts";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import {
  decideEvidence,
  type Evidence,
  type ExpireEvidence,
  evidenceAfter,
  evidenceSchemas,
  type NoteEvidenceDeleted,
  nothingLeft,
} from "./evidence.ts";
import {
  comparedSchema,
  type Judgement,
  judgedAttempt,
  judgedBrowser,
  judgedPicture,
  nothingJudged,
  rejudge,
  withBrowser,
  withPicture,
} from "./judgement.ts";
import {
  browserName,
  evidenceKinds,
  plannedRow,
  retries,
  runLimits,
  type Verdict,
  verdict,
} from "./run.ts";

/**
 * How many workers may be lost over an execution before it is given up as errored (domain.md, "Execution").
 * A delivery that was given back in order costs none of them.
 */
export const MAX_DELIVERIES = 3;

// ---------------------------------------------------------------- Events

const runId = z.uuid();
const delivery = z.int().positive();
const onBrowser = { runId, attempt: z.int().positive(), delivery, browser: browserName };
const onStep = { ...onBrowser, number: z.int().positive() };
const durationMs = z.int().nonnegative();
const locator = z.string().nullable();
const ending = z.enum(["passed", "failed", "errored"]);

/** What the holder of the lease reports while it works, in order. */
const progressSchemas = {
  BrowserStarted: z.object({ ...onBrowser, browserVersion: z.string() }),
  StepStarted: z.object(onStep),
  StepPassed: z.object({ ...onStep, durationMs, locator }),
  StepFailed: z.object({
    ...onStep,
    durationMs,
    error: z.string(),
    locator,
    /** The step is optional: its failure is noted and passed over. */
    passedOver: z.boolean(),
  }),
  StepSkipped: z.object({ ...onStep, reason: z.string() }),
  ScreenshotTaken: z.object({
    ...onStep,
    format: z.enum(["jpeg", "png"]),
    /** Where it lies in the blob store. */
    key: z.string(),
    name: z.string().nullable(),
  }),
  /** A picture was taken and could not be kept. `name`: the one that a `screenshot` step gave it; `reason` is for a person. */
  ScreenshotLost: z.object({ ...onStep, name: z.string().nullable(), reason: z.string() }),
  /** A picture was compared with its baseline; where there is none it is proposed as one. */
  VisualCompared: z.object({
    ...onStep,
    testId: z.uuid(),
    stepId: z.uuid(),
    viewport: viewportText,
    ...comparedSchema.shape,
    actual: pictureSchema,
    baseline: pictureSchema.nullable(),
    /** How far a colour might be off, and how many pixels. */
    threshold: z.number(),
    allowed: z.int().nonnegative(),
    /** The step is optional: a difference does not count. */
    passedOver: z.boolean(),
  }),
  /** A file besides the pictures: a trace, a console, a HAR, a video; or why there is none of one that was to be. */
  EvidenceKept: z.object({
    ...onBrowser,
    name: z.string(),
    contentType: z.string(),
    bytes: z.int().nonnegative(),
    /** Where it lies in the blob store. */
    key: z.string().nullable(),
    absent: z.string().nullable(),
  }),
  /** The step's element was not there any more: it went on with one that is enough like it. A proposal. */
  LocatorHealed: z.object({
    ...onStep,
    testId: z.uuid(),
    /** The test that the step belongs to: another where it was called. Absent in what was recorded before that was known. */
    stepTestId: z.uuid().optional(),
    stepId: z.uuid(),
    ...healedSchema.shape,
  }),
  BrowserFinished: z.object({
    ...onBrowser,
    status: ending,
    durationMs,
    error: z.string().nullable(),
    /** Nothing was wrong but pictures that differ from their baselines. Absent: something else was. */
    onlyPictures: z.boolean().optional(),
  }),
  AttemptFinished: z.object({
    runId,
    attempt: z.int().positive(),
    delivery,
    status: ending,
    durationMs,
    error: z.string().nullable(),
  }),
};

const schemas = {
  ExecutionQueued: z.object({
    runId,
    testId: z.uuid(),
    testVersion: z.int().positive(),
    testName: z.string(),
    stepCount: z.int(),
    browsers: z.array(browserName).min(1),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    quotaPeriod: z.string(),
    /** Of the test's baselines, how many events count for it. Absent: none. */
    baselineVersion: z.int().nonnegative().optional(),
    /** How often it is tried again when it does not pass. Absent: not at all. */
    retries: retries.optional(),
    evidence: evidenceKinds.optional(),
    limits: runLimits.pick({ stepMs: true, testMs: true }).optional(),
    /** The project whose files its steps upload. Absent: none. */
    projectId: z.uuid().optional(),
    /** The environment whose secrets its steps may use. Absent: none. */
    environmentId: z.uuid().optional(),
    /** Whether pictures, traces and the like may show secrets. Absent: they may not. */
    showsSecrets: z.boolean().optional(),
    /** The row of data that it runs with: its values are among the variables. */
    row: plannedRow.optional(),
    /** The versions of the tests that its test calls: their steps are run in place of the calls. */
    calls: z.array(pinnedCall).optional(),
  }),
  ExecutionClaimed: z.object({ runId, delivery, worker: z.string() }),
  ...progressSchemas,
  ExecutionReturned: z.object({ runId, delivery, worker: z.string(), reason: z.string() }),
  ExecutionLeaseExpired: z.object({ runId, delivery, worker: z.string() }),
  ExecutionFinished: z.object({
    runId,
    status: verdict.exclude(["cancelled"]),
    durationMs,
    error: z.string().nullable(),
  }),
  /** Somebody asked for it; what it was doing has stopped. */
  ExecutionCancelled: z.object({ runId }),
  /** Its pictures were judged anew, by other settings: those that come out differently, and what follows from them. */
  VisualRejudged: z.object({
    runId,
    settings: visualSettings,
    pictures: z.array(judgedPicture),
    browsers: z.array(judgedBrowser),
    attempts: z.array(judgedAttempt),
  }),
  ExecutionVerdictChanged: z.object({
    runId,
    from: verdict,
    to: verdict,
    error: z.string().nullable(),
  }),
  ...evidenceSchemas,
};

export type ExecutionEvent = EventOf<typeof schemas>;
export type ProgressEvent = EventOf<typeof progressSchemas>;

// ---------------------------------------------------------------- State

export type Execution =
  | { readonly status: "none" }
  | {
      readonly status: "queued";
      readonly runId: string;
      /** The number of the last delivery. Each delivery has its own, also after a clean give-back: what was recorded in one never mixes with the next. */
      readonly deliveries: number;
      /** How many of them ended with their worker lost. */
      readonly lost: number;
      readonly evidence: Evidence;
    }
  | {
      readonly status: "claimed" | "running";
      readonly runId: string;
      /** Which delivery this is, from 1. */
      readonly delivery: number;
      readonly lost: number;
      readonly worker: string;
      /** The facts already recorded in this delivery, so that none stands twice. */
      readonly recorded: ReadonlySet<string>;
      readonly judgement: Judgement;
      readonly evidence: Evidence;
    }
  | {
      readonly status: "finished";
      readonly runId: string;
      readonly verdict: Verdict;
      readonly judgement: Judgement;
      readonly evidence: Evidence;
    };

// ---------------------------------------------------------------- evolve

export const evolve = (execution: Execution, event: ExecutionEvent): Execution => {
  switch (event.type) {
    case "ExecutionQueued":
      return {
        status: "queued",
        runId: event.data.runId,
        deliveries: 0,
        lost: 0,
        evidence: nothingLeft,
      };
    case "ExecutionClaimed":
      return {
        status: "claimed",
        runId: event.data.runId,
        delivery: event.data.delivery,
        lost: lostSoFar(execution),
        worker: event.data.worker,
        recorded: new Set(),
        judgement: nothingJudged,
        evidence: leftSoFar(execution),
      };
    case "BrowserStarted":
    case "StepStarted":
    case "StepPassed":
    case "StepFailed":
    case "StepSkipped":
    case "ScreenshotTaken":
    case "ScreenshotLost":
    case "VisualCompared":
    case "LocatorHealed":
    case "EvidenceKept":
    case "BrowserFinished":
    case "AttemptFinished":
      if (execution.status !== "claimed" && execution.status !== "running") return execution;
      return {
        ...execution,
        status: "running",
        recorded: new Set(execution.recorded).add(factOf(event)),
        judgement: judgementAfter(execution.judgement, event),
        evidence: leaves(event) ? evidenceAfter(execution.evidence, event) : execution.evidence,
      };
    case "ExecutionReturned":
      return {
        status: "queued",
        runId: event.data.runId,
        deliveries: event.data.delivery,
        lost: lostSoFar(execution),
        evidence: leftSoFar(execution),
      };
    case "ExecutionLeaseExpired":
      return {
        status: "queued",
        runId: event.data.runId,
        deliveries: event.data.delivery,
        lost: lostSoFar(execution) + 1,
        evidence: leftSoFar(execution),
      };
    case "ExecutionFinished":
    case "ExecutionCancelled":
      return {
        status: "finished",
        runId: event.data.runId,
        verdict: event.type === "ExecutionFinished" ? event.data.status : "cancelled",
        judgement: "judgement" in execution ? execution.judgement : nothingJudged,
        evidence: leftSoFar(execution),
      };
    case "VisualRejudged":
      if (execution.status !== "finished") return execution;
      return {
        ...execution,
        judgement: event.data.pictures.reduce(withPicture, execution.judgement),
        evidence: evidenceAfter(execution.evidence, event),
      };
    case "ExecutionVerdictChanged":
      return execution.status === "finished" ? { ...execution, verdict: event.data.to } : execution;
    case "EvidenceExpired":
    case "EvidenceDeleted":
      if (execution.status !== "finished") return execution;
      return { ...execution, evidence: evidenceAfter(execution.evidence, event) };
    default:
      return assertNever(event);
  }
};

const lostSoFar = (execution: Execution): number => ("lost" in execution ? execution.lost : 0);

const leftSoFar = (execution: Execution): Evidence =>
  "evidence" in execution ? execution.evidence : nothingLeft;

const leaves = (
  event: ProgressEvent,
): event is Extract<
  ProgressEvent,
  { type: "ScreenshotTaken" | "VisualCompared" | "EvidenceKept" }
> =>
  event.type === "ScreenshotTaken" ||
  event.type === "VisualCompared" ||
  event.type === "EvidenceKept";

const judgementAfter = (judgement: Judgement, { type, data }: ProgressEvent): Judgement => {
  if (type === "VisualCompared") {
    const { attempt, browser, number, outcome, pixels, ratio, sizeDiffers, diff } = data;
    const found = { outcome, pixels, ratio, sizeDiffers, diff, passedOver: data.passedOver };
    return withPicture(judgement, { attempt, browser, number, ...found });
  }
  if (type === "BrowserFinished") {
    const { attempt, browser, status, error, onlyPictures = false } = data;
    return withBrowser(judgement, { attempt, browser, status, error, onlyPictures });
  }
  return judgement;
};

/** What makes a progress event unique within its delivery: its kind, attempt, browser and step. */
const factOf = (event: ProgressEvent): string => {
  const { data } = event;
  const browser = "browser" in data ? data.browser : "";
  const number =
    "number" in data ? data.number : event.type === "EvidenceKept" ? event.data.name : "";
  return `${event.type}/${data.attempt}/${browser}/${number}`;
};

// ---------------------------------------------------------------- Commands

type DataOf<Type extends ExecutionEvent["type"]> = Extract<ExecutionEvent, { type: Type }>["data"];

export type ExecutionCommand =
  | ({ readonly type: "queue" } & DataOf<"ExecutionQueued">)
  /** A worker takes delivery number `delivery` (the last one's + 1), as the work queue handed it out. */
  | { readonly type: "claim"; readonly worker: string; readonly delivery: number }
  | {
      readonly type: "report";
      readonly worker: string;
      readonly delivery: number;
      readonly progress: readonly ProgressEvent[];
    }
  | ({ readonly type: "finish"; readonly worker: string; readonly delivery: number } & Pick<
      DataOf<"ExecutionFinished">,
      "status" | "durationMs" | "error"
    >)
  | {
      readonly type: "giveBack";
      readonly worker: string;
      readonly delivery: number;
      readonly reason: string;
    }
  /** The lease of this delivery ran out: its worker is taken for dead. */
  | { readonly type: "expireLease"; readonly delivery: number }
  /**
   * It is to stop: `error` null when somebody asked for it, else why it ends errored. While a worker holds
   * it, only that worker (`by`) can end it.
   */
  | {
      readonly type: "cancel";
      readonly error: string | null;
      readonly by: { readonly worker: string; readonly delivery: number } | null;
    }
  /** Its pictures were compared again, by these settings. */
  | ({ readonly type: "rejudge" } & Pick<DataOf<"VisualRejudged">, "settings" | "pictures">)
  | ExpireEvidence
  | NoteEvidenceDeleted
  /** It cannot be run at all: it ends, with the reason. */
  | { readonly type: "abandon"; readonly reason: string };

// ---------------------------------------------------------------- decide

export const decide = (
  command: ExecutionCommand,
  execution: Execution,
): readonly ExecutionEvent[] => {
  switch (command.type) {
    case "queue": {
      if (execution.status !== "none") return [];
      const { type: _, ...data } = command;
      return [{ type: "ExecutionQueued", data }];
    }
    case "claim": {
      if (isHeldBy(execution, command)) return [];
      if (execution.status !== "queued" || command.delivery !== execution.deliveries + 1) {
        throw new DomainError("execution.notClaimable", "This delivery is no longer on offer.");
      }
      const { worker, delivery } = command;
      return [{ type: "ExecutionClaimed", data: { runId: execution.runId, delivery, worker } }];
    }
    case "report":
      if (!isHeldBy(execution, command)) throw leaseLost();
      return command.progress.filter((event) => !execution.recorded.has(factOf(event)));
    case "finish": {
      if (execution.status === "finished") return [];
      if (!isHeldBy(execution, command)) throw leaseLost();
      const { status, durationMs, error } = command;
      return [finished(execution.runId, status, durationMs, error)];
    }
    case "giveBack": {
      if (!isHeldBy(execution, command)) return [];
      const { worker, delivery, reason } = command;
      const { runId } = execution;
      return [{ type: "ExecutionReturned", data: { runId, delivery, worker, reason } }];
    }
    case "expireLease": {
      if (execution.status !== "claimed" && execution.status !== "running") return [];
      if (execution.delivery !== command.delivery) return [];
      const { runId, delivery, worker } = execution;
      const expired: ExecutionEvent = {
        type: "ExecutionLeaseExpired",
        data: { runId, delivery, worker },
      };
      if (execution.lost + 1 < MAX_DELIVERIES) return [expired];
      const error = `Handed to a worker ${MAX_DELIVERIES} times, and each time the worker was lost before it finished.`;
      return [expired, finished(runId, "errored", 0, error)];
    }
    case "cancel": {
      const { by, error } = command;
      const isFree = execution.status === "queued";
      if (!isFree && !(by && isHeldBy(execution, by))) return [];
      const { runId } = execution;
      return error === null
        ? [{ type: "ExecutionCancelled", data: { runId } }]
        : [finished(runId, "errored", 0, error)];
    }
    case "rejudge": {
      if (execution.status !== "finished") {
        throw new DomainError(
          "execution.notFinished",
          "The execution has not ended yet: there is nothing to judge anew.",
        );
      }
      if (execution.evidence.status !== "kept") {
        throw new DomainError(
          "execution.evidenceDeleted",
          "The pictures of this execution are deleted: the plan keeps them no longer. They cannot be compared again.",
        );
      }
      const { runId, verdict: from } = execution;
      const anew = from === "cancelled" ? null : rejudge(execution.judgement, command.pictures);
      if (anew === null) return [];
      const { pictures, browsers, attempts, verdict: to, error } = anew;
      const parts = { pictures: [...pictures], browsers: [...browsers], attempts: [...attempts] };
      const rejudged: ExecutionEvent = {
        type: "VisualRejudged",
        data: { runId, settings: command.settings, ...parts },
      };
      if (to === from) return [rejudged];
      return [rejudged, { type: "ExecutionVerdictChanged", data: { runId, from, to, error } }];
    }
    case "expireEvidence":
    case "noteEvidenceDeleted":
      if (execution.status !== "finished") return [];
      return decideEvidence(command, execution.runId, execution.evidence);
    case "abandon":
      return execution.status === "queued"
        ? [finished(execution.runId, "errored", 0, command.reason)]
        : [];
    default:
      return assertNever(command);
  }
};

type Held = Extract<Execution, { status: "claimed" | "running" }>;

const isHeldBy = (
  execution: Execution,
  by: { readonly worker: string; readonly delivery: number },
): execution is Held =>
  (execution.status === "claimed" || execution.status === "running") &&
  execution.worker === by.worker &&
  execution.delivery === by.delivery;

const finished = (
  runId: string,
  status: DataOf<"ExecutionFinished">["status"],
  durationMs: number,
  error: string | null,
): ExecutionEvent => ({ type: "ExecutionFinished", data: { runId, status, durationMs, error } });

const leaseLost = (): DomainError =>
  new DomainError("execution.leaseLost", "Another delivery of this execution has begun.");

export const executionDecider: Decider<Execution, ExecutionCommand, ExecutionEvent> = {
  category: "execution",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
