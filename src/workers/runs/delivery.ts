import type { Step } from "../../domain/catalogue/step.ts";
import type { ExecutionEvent } from "../../domain/runs/execution.ts";
import type { BrowserName } from "../../domain/runs/run.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { ExecutorReport, ReportSink, Verdict } from "../executor/report.ts";
import { progressOf, type ReportedBy, whole } from "./reports.ts";
import { createShots } from "./shots.ts";
import type { StepPipeline } from "./stepPipeline.ts";

/** What the executor is asked to run: the pinned steps of one test, in one browser. */
export type TestToRun = {
  readonly executionId: string;
  readonly steps: readonly Step[];
  readonly browser: BrowserName;
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** Aborted when the test must stop: its reports no longer count. */
  readonly signal: AbortSignal;
};

/** Runs a test and reports on it; ends with a `browserFinished` unless it was aborted. */
export type RunTest = (test: TestToRun, report: ReportSink) => Promise<unknown>;

export type Delivery = {
  /** Resolves when the execution has finished and all of it is in the log, or the lease is lost, or it was given back. */
  readonly done: Promise<void>;
  /** Hands the execution back for another worker: the test stops, what it reported stays. */
  giveBack(reason: string): Promise<void>;
};

/** The first and only attempt: retries come with their own setting. */
const ATTEMPT = 1;

/** What an execution is to do, as it was queued. */
export type Planned = Extract<ExecutionEvent, { type: "ExecutionQueued" }>["data"];

/**
 * Runs one claimed delivery to its end: each browser in turn, every report into the pipeline, each
 * picture into the blob store, then the verdict.
 */
export const runDelivery = (deps: {
  readonly executionId: string;
  readonly delivery: number;
  readonly worker: string;
  readonly planned: Planned;
  readonly steps: readonly Step[];
  readonly pipeline: StepPipeline;
  readonly blobs: BlobStore;
  readonly runTest: RunTest;
  readonly logger: Logger;
}): Delivery => {
  const { executionId, delivery, worker, planned, pipeline, logger } = deps;
  const { runId } = planned;
  const shots = createShots({ blobs: deps.blobs, logger });
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, pipeline.lost]);
  const holder = { worker, delivery };

  const sinkOf = (by: ReportedBy, finished: (report: BrowserFinished) => void): ReportSink => {
    const shotKey = ({ number, format }: { number: number; format: "jpeg" | "png" }) =>
      `runs/${runId}/${executionId}/${delivery}/${by.attempt}/${by.browser}/${number}.${EXTENSION[format]}`;
    return (report) => {
      if (stopping.signal.aborted) return;
      const event = progressOf(report, by, shotKey);
      const submit = () => {
        if (stopping.signal.aborted) return;
        pipeline.submit({ type: "report", ...holder, progress: [event] }, report.at);
      };
      if (event.type === "ScreenshotTaken" && report.type === "screenshotTaken") {
        const { key, format } = event.data;
        shots.store({ key, format, bytes: report.bytes }, submit);
        return;
      }
      submit();
      if (report.type === "browserFinished") finished(report);
    };
  };

  const runIn = async (browser: BrowserName): Promise<Outcome> => {
    let outcome: Outcome | null = null;
    const by = { runId, attempt: ATTEMPT, delivery, browser };
    const report = sinkOf(by, ({ status, error }) => {
      outcome = { status, error };
    });
    try {
      const { steps } = deps;
      const { baseUrl, variables } = planned;
      await deps.runTest({ executionId, steps, browser, baseUrl, variables, signal }, report);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, "the executor failed");
    }
    return outcome ?? { status: "errored", error: "The browser ended without a verdict." };
  };

  const run = async (): Promise<void> => {
    const started = performance.now();
    const outcomes: Outcome[] = [];
    for (const browser of planned.browsers) {
      if (!signal.aborted) outcomes.push(await runIn(browser));
    }
    if (signal.aborted) return;
    await shots.settle();
    if (signal.aborted) return;
    const { status, error } = worstOf(outcomes);
    const durationMs = whole(performance.now() - started);
    const data = { runId, attempt: ATTEMPT, delivery, status, durationMs, error };
    pipeline.submit({
      type: "report",
      ...holder,
      progress: [{ type: "AttemptFinished", data }],
    });
    pipeline.submit({ type: "finish", ...holder, status, durationMs, error });
    await pipeline.settled();
  };

  return {
    done: run(),
    giveBack: async (reason) => {
      if (signal.aborted) return;
      stopping.abort(new Error(reason));
      pipeline.submit({ type: "giveBack", ...holder, reason });
      await pipeline.settled();
    },
  };
};

type BrowserFinished = Extract<ExecutorReport, { type: "browserFinished" }>;
type Outcome = { readonly status: Verdict; readonly error: string | null };

const EXTENSION = { jpeg: "jpg", png: "png" } as const;
const SEVERITY: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, errored: 2 };

/** A test's verdict over all its browsers: errored before failed before passed. */
const worstOf = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((worst, one) => (SEVERITY[one.status] > SEVERITY[worst.status] ? one : worst), {
    status: "passed",
    error: null,
  });
