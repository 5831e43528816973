import { assertNever } from "../../kernel/errors.ts";
import type { Verdict } from "../verdict.ts";
import type { ExecutionEvent } from "./events.ts";
import { type Evidence, evidenceAfter, nothingLeft } from "./evidence.ts";
import { type Judgement, nothingJudged, withBrowser, withPicture } from "./judgement.ts";
import { factOf, type ProgressEvent } from "./progress.ts";

export type Execution =
  | { readonly status: "none" }
  | {
      readonly status: "queued";
      readonly runId: string;
      /** Number of the last delivery. A delivery that was given back counts too, so that its events never mix with the next. */
      readonly deliveries: number;
      /** Number of deliveries whose worker was lost. */
      readonly lost: number;
      readonly evidence: Evidence;
    }
  | {
      readonly status: "claimed" | "running";
      readonly runId: string;
      /** Number of the delivery, from 1. */
      readonly delivery: number;
      readonly lost: number;
      readonly worker: string;
      /** Progress recorded in this delivery, so that none is recorded twice. */
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

export const evolve = (execution: Execution, event: ExecutionEvent): Execution => {
  switch (event.type) {
    case "ExecutionQueued":
      return queued(execution, event.data.runId, 0, 0);
    case "ExecutionClaimed": {
      const { runId, delivery, worker } = event.data;
      return {
        ...{ status: "claimed", runId, delivery, worker },
        lost: lostDeliveries(execution),
        recorded: new Set(),
        judgement: nothingJudged,
        evidence: evidenceSoFar(execution),
      };
    }
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
      return isHeld(execution) ? afterProgress(execution, event) : execution;
    case "ExecutionReturned":
    case "ExecutionLeaseExpired": {
      const { runId, delivery } = event.data;
      const lost = event.type === "ExecutionLeaseExpired" ? 1 : 0;
      return queued(execution, runId, delivery, lostDeliveries(execution) + lost);
    }
    case "ExecutionFinished":
    case "ExecutionCancelled":
      return {
        status: "finished",
        runId: event.data.runId,
        verdict: event.type === "ExecutionFinished" ? event.data.status : "cancelled",
        judgement: "judgement" in execution ? execution.judgement : nothingJudged,
        evidence: evidenceSoFar(execution),
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

/** An execution that a worker has claimed. */
export type Held = Extract<Execution, { status: "claimed" | "running" }>;

export const isHeld = (execution: Execution): execution is Held =>
  execution.status === "claimed" || execution.status === "running";

export const isHeldBy = (
  execution: Execution,
  by: { readonly worker: string; readonly delivery: number },
): execution is Held =>
  isHeld(execution) && execution.worker === by.worker && execution.delivery === by.delivery;

const queued = (before: Execution, runId: string, deliveries: number, lost: number): Execution => ({
  ...{ status: "queued", runId, deliveries, lost },
  evidence: evidenceSoFar(before),
});

const afterProgress = (execution: Held, event: ProgressEvent): Execution => ({
  ...execution,
  status: "running",
  recorded: new Set(execution.recorded).add(factOf(event)),
  judgement: judgementAfter(execution.judgement, event),
  evidence: leavesEvidence(event) ? evidenceAfter(execution.evidence, event) : execution.evidence,
});

const lostDeliveries = (execution: Execution): number => ("lost" in execution ? execution.lost : 0);

const evidenceSoFar = (execution: Execution): Evidence =>
  "evidence" in execution ? execution.evidence : nothingLeft;

const leavesEvidence = (
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
