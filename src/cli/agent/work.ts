import type { ToAgent } from "../../domain/agents/protocol.ts";
import { MAX_PICTURE_BYTES } from "../../domain/agents/protocol.ts";
import {
  type Browsers,
  type ExecutorReport,
  runTest,
  timeoutsOf,
  type Verdict,
} from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { AskedPictures, On } from "./pictures.ts";

export type Dispatched = Extract<ToAgent, { type: "dispatch" }>;

/**
 * Runs what was dispatched with the executor that the service has, attempt after attempt until one passes,
 * and tells all of it. Answers the last attempt's verdict; null when it was stopped.
 */
export const runDispatched = async (
  dispatched: Dispatched,
  browsers: Browsers,
  post: (message: Unsent) => void,
  pictures: AskedPictures,
  signal: AbortSignal,
): Promise<Verdict | null> => {
  const { execution_id, delivery, retries } = dispatched;
  let verdict: Verdict = "passed";
  for (let attempt = 1; attempt <= 1 + retries; attempt += 1) {
    const verdicts: Verdict[] = [];
    for (const browser of dispatched.browsers) {
      if (signal.aborted) return null;
      const on = { execution_id, delivery, attempt, browser };
      const asked = dispatched.compares_pictures
        ? pictures.of(on, dispatched.steps, dispatched.step_ms, signal)
        : null;
      const { status } = await runTest(
        {
          executionId: execution_id,
          browserName: browser,
          steps: dispatched.steps,
          baseUrl: dispatched.base_url ?? undefined,
          variables: dispatched.variables,
          timeouts: timeoutsOf(dispatched.step_ms),
          limitMs: dispatched.test_ms,
          // On machines of one's own, local addresses are what one tests.
          networkPolicy: "open",
          secrets: async (names) =>
            new Map(Object.entries(dispatched.secrets).filter(([name]) => names.includes(name))),
          showsSecrets: dispatched.shows_secrets,
          visuals: asked?.visuals,
          signal,
        },
        browsers.of(browser),
        (report) => {
          const message = messageOf(report, on, asked?.viewport());
          if (message && !signal.aborted) post(message);
        },
      );
      verdicts.push(status);
    }
    if (signal.aborted) return null;
    verdict = verdicts.includes("errored")
      ? "errored"
      : verdicts.includes("failed")
        ? "failed"
        : "passed";
    if (verdict === "passed") break;
  }
  return verdict;
};

/** A report in the words of the protocol; null for what it has none for. */
const messageOf = (report: ExecutorReport, on: On, viewport?: string): Unsent | null => {
  switch (report.type) {
    case "browserStarted":
      return { type: "browser", ...on, version: report.browserVersion };
    case "stepStarted":
      return { type: "step", ...on, number: report.number, status: "running" };
    case "stepPassed": {
      const { number, durationMs: duration_ms, locator } = report;
      return { type: "step", ...on, number, status: "passed", duration_ms, locator };
    }
    case "stepFailed": {
      const { number, durationMs: duration_ms, locator, error, passedOver: passed_over } = report;
      const failed = { number, duration_ms, locator, error, passed_over };
      return { type: "step", ...on, ...failed, status: "failed" };
    }
    case "stepSkipped":
      return {
        type: "step",
        ...on,
        number: report.number,
        status: "skipped",
        error: report.reason,
      };
    case "screenshotTaken": {
      const { number, format, name, bytes } = report;
      if (bytes.length > MAX_PICTURE_BYTES) return null;
      const base64 = bytes.toString("base64");
      const of = format === "png" && viewport !== undefined ? { viewport } : {};
      return { type: "screenshot", ...on, number, format, name, base64, ...of };
    }
    case "browserFinished": {
      const { status, error, durationMs: duration_ms, onlyPictures } = report;
      const because = onlyPictures ? { only_pictures: true } : {};
      return { type: "result", ...on, status, error, duration_ms, ...because };
    }
    default:
      return null;
  }
};
