import type { BrowserName } from "../../domain/runs/verdict.ts";
import { sleep } from "../../platform/sleep.ts";
import { evidenceOf } from "../executor/evidence.ts";
import type { Verdict } from "../executor/report.ts";
import { whole } from "./progressEvents.ts";
import { reportSink } from "./reportSink.ts";
import { type RunningDelivery, submitProgress } from "./runningDelivery.ts";
import type { TestToRun } from "./runTest.ts";

export type Outcome = { readonly status: Verdict; readonly error: string | null };

/** Limits of executions queued before limits were recorded. */
const DEFAULT_LIMITS = { stepMs: 10_000, testMs: 600_000 };
/** Time that an aborted test has to close its page. */
const ABORTED_MS = 10_000;
/** Time after the test's own limit until the executor is presumed hung. */
const HUNG_GRACE_MS = 40_000;
const NO_VERDICT: Outcome = { status: "errored", error: "The browser ended without a verdict." };
const SEVERITY: Readonly<Record<Verdict, number>> = { passed: 0, failed: 1, errored: 2 };

/** Runs the test once in each browser, one after the other. The outcome of an aborted attempt is meaningless. */
export const runAttempt = async (
  delivery: RunningDelivery,
  attempt: number,
  isLast: boolean,
): Promise<Outcome> => {
  const { planned, signal, uploads, leaveBrowser } = delivery;
  const { runId, browsers } = planned;
  const started = performance.now();
  const outcomes: Outcome[] = [];
  const isFinal = (all: readonly Outcome[]): boolean => isLast || worstOf(all).status === "passed";
  for (const [index, browser] of browsers.entries()) {
    const stepsOver = (status: Verdict): void => {
      const isLastBrowser = index === browsers.length - 1;
      if (isLastBrowser && isFinal([...outcomes, { status, error: null }])) leaveBrowser();
    };
    if (!signal.aborted) outcomes.push(await runInBrowser(delivery, browser, attempt, stepsOver));
  }
  const outcome = worstOf(outcomes);
  if (isFinal(outcomes)) leaveBrowser();
  if (!signal.aborted) await uploads.settle();
  if (signal.aborted) return outcome;
  const durationMs = whole(performance.now() - started);
  const data = { runId, attempt, delivery: delivery.delivery, ...outcome, durationMs };
  submitProgress(delivery, { type: "AttemptFinished", data });
  return outcome;
};

const runInBrowser = async (
  delivery: RunningDelivery,
  browser: BrowserName,
  attempt: number,
  stepsOver: (status: Verdict) => void,
): Promise<Outcome> => {
  const { signal, logger } = delivery;
  const hung = new AbortController();
  const by = { runId: delivery.planned.runId, attempt, delivery: delivery.delivery, browser };
  let outcome: Outcome | null = null;
  const report = reportSink(delivery, by, ({ status, error }) => {
    outcome = { status, error };
  });
  try {
    const test = testToRun(delivery, browser, attempt, stepsOver, hung.signal);
    const running = delivery.runTest(test, (each) => {
      if (!hung.signal.aborted) report(each);
    });
    await endWithin(running, test.limits.testMs + HUNG_GRACE_MS, signal);
  } catch (error) {
    if (!signal.aborted) logger.error({ err: error }, "the executor failed");
  }
  if (outcome !== null || signal.aborted) return outcome ?? NO_VERDICT;
  hung.abort();
  const data = { ...by, ...NO_VERDICT, durationMs: 0 };
  submitProgress(delivery, { type: "BrowserFinished", data });
  return NO_VERDICT;
};

const testToRun = (
  delivery: RunningDelivery,
  browser: BrowserName,
  attempt: number,
  stepsOver: (status: Verdict) => void,
  hung: AbortSignal,
): TestToRun => {
  const { executionId, steps, planned, healing, resources, signal } = delivery;
  const { baseUrl, variables, limits = DEFAULT_LIMITS } = planned;
  return {
    ...{ executionId, steps, browser, attempt, baseUrl, variables, limits, healing, resources },
    visuals: delivery.visuals(browser),
    evidence: evidenceOf(planned.evidence ?? [], attempt),
    stepsOver,
    signal: AbortSignal.any([signal, hung]),
  };
};

/** Resolves with the promise, or after `limitMs`, or shortly after `signal` is aborted. */
const endWithin = async (
  promise: Promise<unknown>,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> => {
  const over = new AbortController();
  const ended = promise.finally(() => over.abort());
  await Promise.race([ended, sleep(limitMs, AbortSignal.any([signal, over.signal]))]);
  if (signal.aborted) await Promise.race([ended, sleep(ABORTED_MS, over.signal)]);
};

/** The verdict over several browsers: errored before failed before passed. */
const worstOf = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((worst, one) => (SEVERITY[one.status] > SEVERITY[worst.status] ? one : worst), {
    status: "passed",
    error: null,
  });
