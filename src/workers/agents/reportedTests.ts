import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { Verdict } from "../executor/report.ts";
import type { Resumed } from "../runs/claim.ts";
import type { QueuedExecution } from "../../domain/runs/executions/events.ts";

/** How a test ended in one browser of one attempt, as it is recorded. */
type Ended = Pick<Resumed["ended"][number], "status" | "durationMs" | "error">;

/** What an agent has told of a delivery's tests; `before` was recorded by then. */
export const toldTests = (planned: QueuedExecution, before: Resumed["ended"]) => {
  const attempts = 1 + (planned.retries ?? 0);
  const endedTests = new Map<string, Ended>(
    before.map((one) => [keyOf(one.attempt, one.browser), one]),
  );
  /** What the agent itself says of its tests: by that it tries again, or does not. */
  const said = new Map<string, Verdict>(
    [...endedTests].map(([key, { status }]): [string, Verdict] => [key, status]),
  );
  /** Whether the agent tries no more after this attempt: by its own word, nothing was wrong. */
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
    /** Whether all has been told: every browser of an attempt that passed, or of the last. */
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

const keyOf = (attempt: number, browser: string): string => `${attempt}/${browser}`;
