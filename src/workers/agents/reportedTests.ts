import type { QueuedExecution } from "../../domain/runs/executions/events.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { Verdict } from "../executor/report.ts";
import type { Resumed } from "../runs/claim.ts";

/** Recorded outcome of a test in one browser of one attempt. */
type Ended = Pick<Resumed["ended"][number], "status" | "durationMs" | "error">;

/** Outcomes that an agent has reported for a delivery, starting with those recorded before. */
export const reportedTests = (planned: QueuedExecution, before: Resumed["ended"]) => {
  const attempts = 1 + (planned.retries ?? 0);
  const endedTests = new Map<string, Ended>(
    before.map((one) => [keyOf(one.attempt, one.browser), one]),
  );
  /** Verdicts of the agent. The agent decides about a further attempt by its own verdicts. */
  const said = new Map<string, Verdict>(
    [...endedTests].map(([key, { status }]): [string, Verdict] => [key, status]),
  );
  /** Whether the agent makes no further attempt: by its own verdicts every browser passed. */
  const isLastFor = (attempt: number): boolean =>
    attempt > 0 &&
    planned.browsers.every((browser) => said.get(keyOf(attempt, browser)) === "passed");

  return {
    ended: (attempt: number, browser: BrowserName): Ended | undefined =>
      endedTests.get(keyOf(attempt, browser)),
    isLastFor,
    noteSaid: (attempt: number, browser: BrowserName, verdict: Verdict): void => {
      said.set(keyOf(attempt, browser), verdict);
    },
    noteEnded: (attempt: number, browser: BrowserName, ended: Ended): void => {
      endedTests.set(keyOf(attempt, browser), ended);
    },
    /** Whether every browser of a passed attempt, or of the last attempt, is reported. */
    isInFull: (): boolean => {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const results = planned.browsers.map((browser) => endedTests.get(keyOf(attempt, browser)));
        if (results.includes(undefined)) return false;
        if (results.every((result) => result?.status === "passed") || isLastFor(attempt)) {
          return true;
        }
      }
      return true;
    },
  };
};

export type ReportedTests = ReturnType<typeof reportedTests>;

const keyOf = (attempt: number, browser: string): string => `${attempt}/${browser}`;
