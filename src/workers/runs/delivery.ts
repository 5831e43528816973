import type { CalledStep } from "../../domain/catalogue/calls.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { evidenceFolder } from "../../domain/runs/executions/evidence.ts";
import type { ProgressEvent } from "../../domain/runs/executions/progress.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { type EvidenceWish, evidenceOf } from "../executor/evidence.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";
import type { ExecutorReport, ReportSink, Verdict } from "../executor/report.ts";
import type { Visuals } from "../executor/visual.ts";
import { createShots } from "./evidenceUploads.ts";
import { diffKeyOf, progressOf, type ReportedBy, type ShotKey, whole } from "./progressEvents.ts";
import type { Resources } from "./resources.ts";
import type { StepPipeline } from "./stepPipeline.ts";

/** What the executor is asked to run: the pinned steps of one test, in one browser. */
export type TestToRun = {
  readonly executionId: string;
  readonly steps: readonly Step[];
  readonly browser: BrowserName;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** How long a step and the whole test may take, in milliseconds. */
  readonly limits: { readonly stepMs: number; readonly testMs: number };
  /** What its pictures are compared with. */
  readonly visuals: Visuals;
  /** What is known of the elements of its steps; absent: nothing is healed. */
  readonly healing?: HealingMemory | undefined;
  /** The secrets of its environment, and the files of its project. */
  readonly resources: Resources | undefined;
  /** What is recorded besides its steps and pictures. */
  readonly evidence: EvidenceWish;
  /** May be called with the verdict when its last step is over: it needs its browser no longer but for a picture. */
  readonly stepsOver?: ((status: Verdict) => void) | undefined;
  /** Aborted when the test must stop: its reports no longer count. */
  readonly signal: AbortSignal;
};

/** Runs a test and reports on it; ends with a `browserFinished` unless it was aborted. */
export type RunTest = (test: TestToRun, report: ReportSink) => Promise<unknown>;

export type Delivery = {
  readonly runId: string;
  /** Somebody has begun to watch its run: what it has to report is written now. */
  readonly hurry: () => void;
  /** Resolves when it needs no browser any more but for its last picture: what is left to do is to record what it came to. */
  readonly leftBrowser: Promise<void>;
  /** Resolves when the execution has finished and all of it is in the log, or the lease is lost, or it was given back. */
  readonly done: Promise<void>;
  /** Hands the execution back for another worker: the test stops, what it reported stays. */
  giveBack(reason: string): Promise<void>;
  /** Ends the execution: the test stops. `error` null when somebody asked for it, else why it is errored. */
  cancel(error: string | null): Promise<void>;
};

/** The limits of an execution that was queued before there were any. */
const DEFAULT_LIMITS = { stepMs: 10_000, testMs: 600_000 };
/** What was stopped may take so long to let its browser's page go; then nobody waits for it any more. */
const STOPPED_MS = 10_000;
/** A test that is not over so long after its own time-out hangs in the executor: it is given up. */
const HUNG_GRACE_MS = 40_000;

/** What an execution is to do, as it was queued. */
export type Planned = Extract<ExecutionEvent, { type: "ExecutionQueued" }>["data"];

/**
 * Runs one claimed delivery to its end: attempts until one passes or none is left, in each of them each
 * browser in turn; every report into the pipeline, each picture into the blob store, then the verdict.
 */
export const runDelivery = (deps: {
  readonly executionId: string;
  readonly delivery: number;
  readonly worker: string;
  readonly planned: Planned;
  readonly steps: readonly CalledStep[];
  readonly pipeline: StepPipeline;
  readonly blobs: BlobStore;
  readonly runTest: RunTest;
  readonly healing?: HealingMemory | undefined;
  /** What the test's pictures are compared with in a browser. */
  readonly visuals: (browser: BrowserName) => Visuals;
  /** What it may use that is in no event; nothing unless it is said. */
  readonly resources?: Resources | undefined;
  readonly logger: Logger;
}): Delivery => {
  const { executionId, delivery, worker, planned, pipeline, logger } = deps;
  const { runId } = planned;
  const shots = createShots({ blobs: deps.blobs, logger });
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, pipeline.lost]);
  const holder = { worker, delivery };
  let leaveBrowser: () => void = () => {};
  const leftBrowser = new Promise<void>((resolve) => {
    leaveBrowser = resolve;
  });

  const sinkOf = (by: ReportedBy, finished: (report: BrowserFinished) => void): ReportSink => {
    const folder = `${evidenceFolder(runId, executionId)}/${delivery}/${by.attempt}/${by.browser}`;
    const shotKey: ShotKey = ({ number, format }) => `${folder}/${number}.${EXTENSION[format]}`;
    const evidenceKey = (name: string): string => `${folder}/${name}`;
    return (report) => {
      if (stopping.signal.aborted) return;
      const { testId } = planned;
      const stepTestOf = (number: number) => deps.steps[number - 1]?.ofTest ?? testId;
      const event = progressOf(report, by, { testId, stepTestOf }, shotKey, evidenceKey);
      const submitOne = (one: ProgressEvent): void => {
        if (stopping.signal.aborted) return;
        pipeline.submit({ type: "report", ...holder, progress: [one] }, report.at);
      };
      const submit = () => submitOne(event);
      if (event.type === "ScreenshotTaken" && report.type === "screenshotTaken") {
        const { key, format } = event.data;
        const { number, name } = report;
        shots.store(
          { key, contentType: `image/${format}`, bytes: report.bytes },
          submit,
          (reason) => submitOne({ type: "ScreenshotLost", data: { ...by, number, name, reason } }),
        );
        return;
      }
      if (event.type === "EvidenceKept" && report.type === "evidenceTaken" && report.bytes) {
        const { name, contentType, bytes } = report;
        const absent = { ...event.data, bytes: 0, key: null };
        shots.store({ key: evidenceKey(name), contentType, bytes }, submit, (reason) =>
          submitOne({ type: "EvidenceKept", data: { ...absent, absent: reason } }),
        );
        return;
      }
      if (report.type === "visualCompared") {
        const key = shotKey({ number: report.number, format: "png" });
        const diffKey = diffKeyOf(key);
        if (report.diff) {
          const diff = { key: diffKey, contentType: "image/png", bytes: report.diff };
          shots.store(
            diff,
            () => {},
            () => {},
          );
        }
        // What points to pictures is said once they are there.
        shots.after([key, diffKey], submit);
        return;
      }
      submit();
      if (report.type === "browserFinished") finished(report);
    };
  };

  const runIn = async (
    browser: BrowserName,
    attempt: number,
    stepsOver: (status: Verdict) => void,
  ): Promise<Outcome> => {
    let outcome: Outcome | null = null;
    const hung = new AbortController();
    const report = sinkOf({ runId, attempt, delivery, browser }, ({ status, error }) => {
      outcome = { status, error };
    });
    try {
      const { steps } = deps;
      const { baseUrl, variables } = planned;
      const limits = planned.limits ?? DEFAULT_LIMITS;
      const testSignal = AbortSignal.any([signal, hung.signal]);
      const visuals = deps.visuals(browser);
      const { healing } = deps;
      const evidence = evidenceOf(planned.evidence ?? [], attempt);
      const test = {
        resources: deps.resources,
        ...{
          executionId,
          steps,
          browser,
          attempt,
          baseUrl,
          variables,
          limits,
          visuals,
          healing,
          evidence,
          stepsOver,
        },
        signal: testSignal,
      };
      const running = deps.runTest(test, (each) => {
        if (!hung.signal.aborted) report(each);
      });
      await endWithin(running, limits.testMs + HUNG_GRACE_MS, signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, "the executor failed");
    }
    if (outcome !== null || signal.aborted) return outcome ?? NO_VERDICT;
    hung.abort();
    const ending = { ...NO_VERDICT, durationMs: 0 };
    const data = { runId, attempt, delivery, browser, ...ending };
    submit({ type: "BrowserFinished", data });
    return NO_VERDICT;
  };

  const submit = (event: ProgressEvent): void =>
    pipeline.submit({ type: "report", ...holder, progress: [event] });

  const runAttempt = async (attempt: number, isLast: boolean): Promise<Outcome> => {
    const started = performance.now();
    const outcomes: Outcome[] = [];
    const isSettledBy = (all: readonly Outcome[]): boolean =>
      isLast || worstOf(all).status === "passed";
    for (const [index, browser] of planned.browsers.entries()) {
      const stepsOver = (status: Verdict): void => {
        const isLastOne = index === planned.browsers.length - 1;
        if (isLastOne && isSettledBy([...outcomes, { status, error: null }])) leaveBrowser();
      };
      if (!signal.aborted) outcomes.push(await runIn(browser, attempt, stepsOver));
    }
    const outcome = worstOf(outcomes);
    if (isSettledBy(outcomes)) leaveBrowser();
    if (!signal.aborted) await shots.settle();
    if (signal.aborted) return outcome;
    const durationMs = whole(performance.now() - started);
    submit({ type: "AttemptFinished", data: { runId, attempt, delivery, ...outcome, durationMs } });
    return outcome;
  };

  const run = async (): Promise<void> => {
    const started = performance.now();
    const attempts = 1 + (planned.retries ?? 0);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const { status, error } = await runAttempt(attempt, attempt === attempts);
      if (signal.aborted) return;
      if (status !== "passed" && attempt < attempts) continue;
      const verdict = status === "passed" && attempt > 1 ? "flaky" : status;
      const durationMs = whole(performance.now() - started);
      pipeline.submit({ type: "finish", ...holder, status: verdict, durationMs, error });
      break;
    }
    await pipeline.settled();
  };

  return {
    runId,
    hurry: pipeline.hurry,
    leftBrowser,
    done: run().finally(leaveBrowser),
    giveBack: async (reason) => {
      if (signal.aborted) return;
      stopping.abort(new Error(reason));
      pipeline.submit({ type: "giveBack", ...holder, reason });
      await pipeline.settled();
    },
    cancel: async (error) => {
      if (signal.aborted) return;
      stopping.abort(new Error(error ?? "cancelled"));
      pipeline.submit({ type: "cancel", by: holder, error });
      await pipeline.settled();
    },
  };
};

/** Resolves with the promise, or when the time is over; once it is aborted it has a little time left. */
const endWithin = async (
  promise: Promise<unknown>,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const over = new AbortController();
  const ended = promise.finally(() => over.abort());
  await Promise.race([ended, sleep(limitMs, AbortSignal.any([signal, over.signal]))]);
  if (signal.aborted) await Promise.race([ended, sleep(STOPPED_MS, over.signal)]);
};

type BrowserFinished = Extract<ExecutorReport, { type: "browserFinished" }>;
type Outcome = { readonly status: Verdict; readonly error: string | null };

const NO_VERDICT: Outcome = { status: "errored", error: "The browser ended without a verdict." };
const EXTENSION = { jpeg: "jpg", png: "png" } as const;
const SEVERITY: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, errored: 2 };

/** A test's verdict over all its browsers: errored before failed before passed. */
const worstOf = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((worst, one) => (SEVERITY[one.status] > SEVERITY[worst.status] ? one : worst), {
    status: "passed",
    error: null,
  });
