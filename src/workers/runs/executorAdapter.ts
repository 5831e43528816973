import { type Browsers, type NetworkPolicy, runTest, timeoutsOf } from "../executor/index.ts";
import type { RunTest } from "./runTest.ts";

/** Runs tests in the browsers of this machine, under one policy of reachable addresses. */
export const runInBrowsers =
  (browsers: Browsers, networkPolicy: NetworkPolicy): RunTest =>
  (
    {
      executionId,
      steps,
      browser,
      baseUrl,
      variables,
      limits,
      visuals,
      healing,
      resources,
      evidence,
      stepsOver,
      signal,
    },
    report,
  ) =>
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
        healing,
        ...resources,
        evidence,
        stepsOver,
        signal,
      },
      browsers.of(browser),
      report,
    );
