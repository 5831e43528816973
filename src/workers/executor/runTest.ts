import { within } from "../../platform/within.ts";
import { BrowserNotFoundError } from "./browserFinder.ts";
import type { BrowserPool, PooledContext } from "./browserPool.ts";
import { plainMessage, shorten } from "./errors.ts";
import { recordEvidence } from "./evidence.ts";
import { killTree } from "./processes.ts";
import type { NewReport, ReportSink, Verdict } from "./report.ts";
import { withoutSecrets } from "./reportSecrets.ts";
import { type Outcome, runSteps, STOPPED } from "./runSteps.ts";
import { NO_WISH, type RunTestInput } from "./runTestInput.ts";
import { createSecrets, noSecrets } from "./secrets.ts";

export type TestResult = {
  readonly status: Verdict;
  readonly error: string | null;
  readonly durationMs: number;
  /** Null when no browser started. */
  readonly browserVersion: string | null;
};

/** A stopped test has so long to close its page; then its browser is ended, in which no other test runs. */
const ABORT_MS = 1_500;

/**
 * Runs a test's steps in a fresh context of the pool's browser and reports what happens to `sink`.
 *
 * The verdict is `failed` when a step that is not optional failed, `errored` when the test could not be
 * judged: no browser, one that died, an address that was refused. Never rejects, and never hangs: every
 * step has an end, so has the test, and an abort closes the context within 2 s.
 */
export const runTest = async (
  input: RunTestInput,
  pool: BrowserPool,
  sink: ReportSink,
): Promise<TestResult> => {
  const started = performance.now();
  const durationMs = () => Math.round(performance.now() - started);
  const secrets = createSecrets(input.secrets ?? noSecrets);
  const report = (each: NewReport): void => {
    if (!input.signal.aborted)
      sink({ ...withoutSecrets(each, secrets), at: new Date().toISOString() });
  };

  if (input.signal.aborted) return { ...STOPPED, durationMs: 0, browserVersion: null };
  let opened: PooledContext;
  try {
    opened = await pool.open();
  } catch (error) {
    const why =
      error instanceof BrowserNotFoundError ? "unavailable:" : "No browser could be started.";
    const message = shorten(`${why} ${plainMessage(error)}`);
    report({
      type: "browserFinished",
      status: "errored",
      durationMs: durationMs(),
      error: message,
    });
    return { status: "errored", error: message, durationMs: durationMs(), browserVersion: null };
  }

  const { browserVersion } = opened;
  report({ type: "browserStarted", browser: input.browserName, browserVersion });
  const evidence = await recordEvidence(opened.context, opened.page, input.evidence ?? NO_WISH);
  let outcome: Outcome;
  try {
    outcome = await runSteps(input, opened, secrets, report, evidence.problems);
  } catch (error) {
    outcome = { status: "errored", error: shorten(plainMessage(error)) };
  }
  const { status, onlyPictures } = outcome;
  const error = outcome.error === null ? null : secrets.blot(outcome.error);
  if (!input.signal.aborted) {
    const mayKeep = !secrets.isAnyKnown() || input.showsSecrets === true;
    for (const each of await evidence.collect(mayKeep)) report({ type: "evidenceTaken", ...each });
  }
  const result: TestResult = { status, error, durationMs: durationMs(), browserVersion };
  const because = onlyPictures ? { onlyPictures } : {};
  report({ type: "browserFinished", status, durationMs: result.durationMs, error, ...because });
  if (input.signal.aborted) await evidence.abandon();
  const released = opened.release();
  // The next execution has a context of its own: only an abort waits until this one is closed.
  if (input.signal.aborted) {
    await closeOrKill(released, opened.processId);
    await evidence.discard();
  }
  return result;
};

const closeOrKill = async (closed: Promise<void>, processId: number | null): Promise<void> => {
  let isClosed = false;
  const closing = closed.then(() => {
    isClosed = true;
  });
  await within(closing, ABORT_MS, () => undefined).catch(() => {});
  if (!isClosed && processId !== null) killTree(processId);
};
