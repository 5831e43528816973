import { type BrowserPool, type NetworkPolicy, runTest, timeoutsOf } from "../executor/index.ts";
import type { RunTest } from "./delivery.ts";

/** Runs tests in the pool's browser, under one policy of which addresses may be opened. */
export const runInPool =
  (pool: BrowserPool, networkPolicy: NetworkPolicy): RunTest =>
  ({ executionId, steps, browser, baseUrl, variables, limits, visuals, signal }, report) =>
    runTest(
      {
        executionId,
        browserName: browser,
        steps,
        baseUrl: baseUrl ?? undefined,
        variables,
        timeouts: timeoutsOf(limits.stepMs),
        limitMs: limits.testMs,
        networkPolicy,
        visuals,
        signal,
      },
      pool,
      report,
    );
