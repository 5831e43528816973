import type { ToAgent } from "../../domain/agents/protocol.ts";
import { MAX_PICTURE_BYTES } from "../../domain/agents/protocol.ts";
import {
  type BeginSpan,
  type Browsers,
  type ExecutorReport,
  evidenceOf,
  type ReportSink,
  type RunTestInput,
  runTest,
  timeoutsOf,
  type Verdict,
  withSpans,
} from "../../workers/executor/index.ts";
import { createEvidenceSender } from "./evidence.ts";
import type { Unsent } from "./outbox.ts";
import type { Requests } from "./requests.ts";
import { remoteFiles, remoteHealing } from "./resources.ts";
import { type AttemptKey, remoteVisuals } from "./visuals.ts";

export type Dispatched = Extract<ToAgent, { type: "dispatch" }>;

/**
 * Runs a dispatched execution with the same executor as the service: repeats attempts until one passes, and posts
 * every report. `begin` begins a trace span for each test, in the trace of the dispatch. Returns the verdict of the
 * last attempt; null if the execution was stopped.
 */
export const runDispatched = async (
  dispatched: Dispatched,
  browsers: Browsers,
  post: (message: Unsent) => Promise<void>,
  requests: Requests,
  signal: AbortSignal,
  begin?: BeginSpan,
): Promise<Verdict | null> => {
  const { execution_id, delivery, retries, steps, traceparent: parent } = dispatched;
  let verdict: Verdict = "passed";
  for (let attempt = 1; attempt <= 1 + retries; attempt += 1) {
    const verdicts: Verdict[] = [];
    for (const browser of dispatched.browsers) {
      if (signal.aborted) return null;
      const on = { execution_id, delivery, attempt, browser };
      const visuals = dispatched.compares_pictures
        ? remoteVisuals(requests, on, dispatched.steps, dispatched.step_ms, signal)
        : null;
      // A service of an older release rejects the message types added since.
      const takesEvidence = dispatched.evidence !== undefined;
      const reporter = createReporter(
        on,
        post,
        { viewport: visuals?.viewport, takesEvidence },
        signal,
      );
      const input = inputOf(dispatched, on, post, requests, signal);
      const run = (report: ReportSink) =>
        runTest({ ...input, visuals: visuals?.visuals, signal }, browsers.of(browser), report);
      const test = { executionId: execution_id, attempt, browser, steps, parent };
      const { status } = begin
        ? await withSpans(begin, test, reporter.report, run)
        : await run(reporter.report);
      await reporter.flushed();
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

/** The input of one test. Files, element fingerprints and baselines are requested from the service. */
const inputOf = (
  dispatched: Dispatched,
  on: AttemptKey,
  post: (message: Unsent) => Promise<void>,
  requests: Requests,
  signal: AbortSignal,
): Omit<RunTestInput, "signal" | "visuals"> => {
  const { steps, step_ms: stepMs, evidence, heals, gives_files: givesFiles } = dispatched;
  return {
    executionId: dispatched.execution_id,
    browserName: on.browser,
    steps,
    baseUrl: dispatched.base_url ?? undefined,
    variables: dispatched.variables,
    timeouts: timeoutsOf(stepMs),
    limitMs: dispatched.test_ms,
    // Agents exist to test hosts that only this machine reaches.
    networkPolicy: "open",
    secrets: async (names) =>
      new Map(Object.entries(dispatched.secrets).filter(([name]) => names.includes(name))),
    showsSecrets: dispatched.shows_secrets,
    files: givesFiles ? remoteFiles(requests, on, steps, stepMs, signal) : undefined,
    healing: heals ? remoteHealing(requests, on, dispatched.due_steps, post, signal) : undefined,
    evidence: evidence && evidenceOf(evidence, on.attempt),
  };
};

/** Posts the reports of a test in order: a report after an evidence file waits until the file is sent. */
const createReporter = (
  on: AttemptKey,
  post: (message: Unsent) => Promise<void>,
  service: {
    readonly viewport: (() => string | undefined) | undefined;
    readonly takesEvidence: boolean;
  },
  signal: AbortSignal,
) => {
  const sendEvidence = createEvidenceSender(on, post, signal);
  let sending: Promise<void> | null = null;
  const inOrder = (send: () => Promise<void> | undefined): void => {
    sending = (sending ?? Promise.resolve()).then(() => (signal.aborted ? undefined : send()));
  };
  return {
    report: (report: ExecutorReport): void => {
      if (signal.aborted) return;
      if (report.type === "evidenceTaken") {
        if (service.takesEvidence) inOrder(() => sendEvidence(report));
        return;
      }
      const message = toMessage(report, on, service.viewport?.());
      if (!message || ("lost" in message && !service.takesEvidence)) return;
      if (sending) inOrder(() => void post(message));
      else void post(message);
    },
    /** Resolves once every report is posted. */
    flushed: (): Promise<void> => sending ?? Promise.resolve(),
  };
};

const TOO_LARGE = `The picture is larger than the limit of ${MAX_PICTURE_BYTES} bytes.`;

/** The protocol message of a report; null if the protocol has none. */
const toMessage = (report: ExecutorReport, on: AttemptKey, viewport?: string): Unsent | null => {
  switch (report.type) {
    case "browserStarted":
      return { type: "browser", ...on, version: report.browserVersion };
    case "stepStarted":
      return { type: "step", ...on, number: report.number, status: "running" };
    case "stepPassed": {
      const { number, durationMs: duration_ms, locator, notes, evidence } = report;
      const seen = { ...(notes && { notes: [...notes] }), ...(evidence && { evidence }) };
      return { type: "step", ...on, number, status: "passed", duration_ms, locator, ...seen };
    }
    case "stepFailed": {
      const { number, durationMs: duration_ms, locator, error, passedOver: passed_over } = report;
      const failed = { number, duration_ms, locator, error, passed_over };
      const { evidence, page } = report;
      const seen = { ...(evidence && { evidence }), ...(page && { page }) };
      return { type: "step", ...on, ...failed, ...seen, status: "failed" };
    }
    case "stepSkipped":
      return {
        type: "step",
        ...on,
        number: report.number,
        status: "skipped",
        error: report.reason,
        ...(report.gap && { gap: true }),
      };
    case "screenshotTaken": {
      const { number, format, name, bytes } = report;
      if (bytes.length > MAX_PICTURE_BYTES) {
        return { type: "screenshot", ...on, number, format, name, base64: "", lost: TOO_LARGE };
      }
      const base64 = bytes.toString("base64");
      const of = format === "png" && viewport !== undefined ? { viewport } : {};
      return { type: "screenshot", ...on, number, format, name, base64, ...of };
    }
    case "locatorHealed": {
      const { number, target, healedTarget: healed_target, score, runnerUp: runner_up } = report;
      const changes = report.changes.map((change) => ({ ...change }));
      const found = { target, healed_target, score, runner_up, changes };
      return { type: "healed", ...on, number, ...found };
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
