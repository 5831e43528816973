import type { AgentReport } from "../../domain/agents/protocol.ts";
import { sleep } from "../../platform/sleep.ts";
import type { RunTest } from "../runs/runTest.ts";
import { type CurrentTest, nowOf, type WorkState } from "./workState.ts";

/** Time that a report waits for its test to begin, while the previous test is being settled. */
const TURN_MS = 10_000;

/** Runs a test by waiting for the reports of the agent. Recorded tests end at once. */
export const runReportedTest = (state: WorkState): RunTest => {
  const awaitReports: RunTest = (test, report) => awaitTest(state, test, report);
  const run = state.observeTests?.(awaitReports) ?? awaitReports;
  return (test, report) => {
    const { attempt, browser } = test;
    const { reported } = state;
    const known = reported.ended(attempt, browser);
    if (known) {
      const { status, durationMs, error } = known;
      report({ type: "browserFinished", at: nowOf(state), status, durationMs, error });
      return Promise.resolve();
    }
    if (reported.isLastFor(attempt - 1)) {
      const error = "The agent reported no fault and did not try again.";
      const at = nowOf(state);
      report({ type: "browserFinished", at, status: "failed", durationMs: 0, error });
      reported.noteSaid(attempt, browser, "passed");
      return Promise.resolve();
    }
    return run(test, report);
  };
};

const awaitTest = (
  state: WorkState,
  { attempt, browser, signal }: Parameters<RunTest>[0],
  report: Parameters<RunTest>[1],
): Promise<void> =>
  new Promise<void>((resolve) => {
    const end = () => {
      if (state.current === current) state.current = null;
      resolve();
    };
    const current: CurrentTest = { attempt, browser, report, end, hasBrowser: false };
    state.current = current;
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    state.began.abort();
    state.began = new AbortController();
  });

/** The test of a report, once it has begun; null if another test is under way or it does not begin in time. */
export const testOf = async (
  state: WorkState,
  { attempt, browser }: AgentReport,
): Promise<CurrentTest | null> => {
  const deadline = performance.now() + TURN_MS;
  for (;;) {
    const { current } = state;
    if (current?.attempt === attempt && current.browser === browser) return current;
    const left = deadline - performance.now();
    if (state.isOver || current !== null || left <= 0) return null;
    await sleep(left, state.began.signal);
  }
};
