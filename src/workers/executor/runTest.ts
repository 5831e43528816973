import type { Step } from "../../domain/catalogue/step.ts";
import { boundedProblems } from "../../domain/runs/executions/stepEvidence.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { BrowserNotFoundError } from "./browserFinder.ts";
import type { BrowserPool, PooledContext } from "./browserPool.ts";
import { plainMessage, shorten } from "./errors.ts";
import { type EvidenceWish, recordEvidence } from "./evidence.ts";
import type { ReadFile } from "./files.ts";
import { createForesight } from "./foresight.ts";
import { guard } from "./guards.ts";
import type { HealingMemory } from "./healing/memory.ts";
import { createHiddenFields, type HiddenFields } from "./hiddenFields.ts";
import type { NetworkPolicy } from "./networkPolicy.ts";
import type { Problems } from "./problems.ts";
import { killTree } from "./processes.ts";
import type { NewReport, ReportSink, Verdict } from "./report.ts";
import { withoutSecrets } from "./reportSecrets.ts";
import { countRequests } from "./requests.ts";
import { isActing, onlyLooksNext, runStep, type StepEnd } from "./runStep.ts";
import { type Camera, createCamera } from "./screenshots.ts";
import { createSecrets, noSecrets, type ReadSecrets, type Secrets } from "./secrets.ts";
import { createStage, type Stage } from "./stage.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "./steps/context.ts";
import type { Visuals } from "./visual.ts";
import { type Interruption, isInterruption, watchFor, withLimit } from "./watch.ts";

export type RunTestInput = {
  readonly executionId: string;
  readonly browserName: BrowserName;
  readonly steps: readonly Step[];
  readonly baseUrl?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** What differs from DEFAULT_TIMEOUTS. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** How much memory the test's browser may have, in bytes; 2 GiB unless it is said. */
  readonly mostBytes?: number | undefined;
  /** The longest that the test may take, in milliseconds; as long as it likes unless it is said. */
  readonly limitMs?: number | undefined;
  /** What steps may open; what pages may reach is the pool's affair. */
  readonly networkPolicy: NetworkPolicy;
  /** What pictures are compared with; nothing unless it is said. */
  readonly visuals?: Visuals | undefined;
  /** The secrets of the environment; none unless it is said. */
  readonly secrets?: ReadSecrets | undefined;
  /** Whether pictures show secrets in the fields that they were put into: the organisation says so. */
  readonly showsSecrets?: boolean | undefined;
  /** The files of the test's project. */
  readonly files?: ReadFile | undefined;
  /** What is known of the elements of its steps; nothing is healed unless it is said. */
  readonly healing?: HealingMemory | undefined;
  /** What is recorded besides; nothing that costs anything unless it is said. */
  readonly evidence?: EvidenceWish | undefined;
  /**
   * Called with the verdict once the last step is over and all that is still to come of the browser is that step's
   * picture: another test may begin beside it. Not called of a test that is stopped, or of which more is recorded.
   */
  readonly stepsOver?: ((status: Verdict) => void) | undefined;
  /** Ends the test: its context is closed and nothing more is reported. */
  readonly signal: AbortSignal;
};

export type TestResult = {
  readonly status: Verdict;
  readonly error: string | null;
  readonly durationMs: number;
  /** Null when no browser started. */
  readonly browserVersion: string | null;
};

/** What is stopped has so long to close its page; then its browser is ended, in which no other test is. */
const ABORT_MS = 1_500;

const NO_WISH: EvidenceWish = { trace: false, har: false, video: false };

const STOPPED = { status: "errored", error: "The test was stopped before its end." } as const;

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

/** How a test ended. `onlyPictures`: nothing was wrong but pictures that differ from their baselines. */
type Outcome = {
  readonly status: Verdict;
  readonly error: string | null;
  readonly onlyPictures?: boolean;
};

const runSteps = async (
  input: RunTestInput,
  opened: PooledContext,
  secrets: Secrets,
  report: (each: NewReport) => void,
  problems: Problems,
): Promise<Outcome> => {
  const { signal, steps } = input;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...withoutUndefined(input.timeouts ?? {}) };
  const watch = watchFor(signal, opened, input.limitMs ?? null);
  const unguard = guard(opened, watch.lose, { mostBytes: input.mostBytes });
  try {
    const hidden = createHiddenFields(secrets, input.showsSecrets !== true);
    const requestsInFlight = countRequests(opened.context);
    const { stage, camera } = prepare(opened, hidden, report);
    const foresight = createForesight(stage);
    const variables: Record<string, string> = { ...input.variables };
    const enabled = steps.flatMap((step, index) => (step.disabled ? [] : [index]));
    /** What is performed after the step at an index. */
    const after = (index: number): Step[] =>
      enabled.flatMap((later) => (later > index ? (steps[later] ?? []) : []));

    let verdict: { status: Verdict; error: string | null } = { status: "passed", error: null };
    /** The first picture that is not like its baseline: the test goes on, so that every picture is looked at. */
    let differing: string | null = null;
    for (const [index, step] of steps.entries()) {
      const number = index + 1;
      if (verdict.status !== "passed" || step.disabled) {
        const reason = step.disabled ? "The step is disabled." : "A step before it did not pass.";
        report({ type: "stepSkipped", number, reason });
        continue;
      }
      if (isActing(step)) problems.restart();
      report({ type: "stepStarted", number });
      foresight.look(step, followingOf(steps, index));
      const ended = await runStep({
        input,
        variables,
        secrets,
        hidden,
        step,
        next: after(index)[0] ?? null,
        number,
        stage,
        camera,
        timeouts,
        requestsInFlight,
        watch,
        report,
      });
      if (ended.kind === "interrupted" && ended.by === "abort") return interrupted({ by: "abort" });
      if (ended.kind === "passed") {
        report(passedReport(number, ended, foresight.wasSo(number)));
        // A page whose dialog is open holds still until it is answered: it gives no picture.
        if (ended.pictured || stage.isDialogOpen()) continue;
        if (onlyLooksNext(after(index))) camera.shootSoon(number);
        else camera.shoot(number);
        continue;
      }
      if (ended.kind === "skipped") {
        const isGap = !step.optional;
        report({ type: "stepSkipped", number, reason: ended.reason, ...(isGap && { gap: true }) });
        continue;
      }
      const { error } = ended;
      const passedOver = ended.kind === "failed" && step.optional;
      const failed = failedReport(number, ended, error, passedOver, problems);
      if (ended.kind === "failed") {
        // What the page looked like when it failed must not be missed: it is taken before anything else happens.
        if (!ended.pictured && !stage.isDialogOpen()) camera.shoot(number);
        report(failed);
        const wrong = `Step ${number} failed: ${error}`;
        if (ended.onlyPicture && !passedOver) differing ??= wrong;
        else if (!passedOver) verdict = { status: "failed", error: wrong };
      } else {
        const isLate = ended.kind === "interrupted" && ended.by === "limit";
        if (ended.kind === "refused" || isLate) camera.shoot(number);
        report(failed);
        verdict = { status: isLate ? "failed" : "errored", error: `Step ${number}: ${error}` };
        if (isLate) await camera.settle();
      }
      if (!passedOver) await watch.orInterrupted(camera.settle());
    }
    if (verdict.status === "passed" && stage.isAwaiting()) {
      verdict = { status: "failed", error: "A dialog was to be answered, and none opened." };
    }
    const wrongPicture = verdict.status === "passed" ? differing : null;
    if (!signal.aborted && !isMoreRecorded(input)) {
      input.stepsOver?.(wrongPicture === null ? verdict.status : "failed");
    }
    const last = await watch.orInterrupted(camera.settle());
    if (isInterruption(last) && last.by === "abort") return interrupted(last);
    if (wrongPicture !== null) {
      return { status: "failed", error: shorten(wrongPicture), onlyPictures: true };
    }
    return { status: verdict.status, error: verdict.error && shorten(verdict.error) };
  } finally {
    unguard();
    watch.end();
  }
};

/** The enabled steps after one, with their numbers. */
const followingOf = (steps: readonly Step[], index: number): (readonly [number, Step])[] =>
  steps.flatMap((step, at) => (at > index && !step.disabled ? [[at + 1, step] as const] : []));

const WAS_SO = "was so before: the page showed this before the step that should bring it about";

const passedReport = (number: number, ended: StepEnd, wasSo: boolean): NewReport => {
  const { durationMs, locator, evidence } = ended;
  const notes = [...(ended.notes ?? []), ...(wasSo ? [WAS_SO] : [])];
  return {
    ...{ type: "stepPassed", number, durationMs, locator },
    ...(notes.length > 0 && { notes }),
    ...(evidence && { evidence }),
  };
};

/** The report of a failed step. A step that is passed over does not fail the test: its page is of no interest. */
const failedReport = (
  number: number,
  { durationMs, locator, evidence }: StepEnd,
  error: string,
  passedOver: boolean,
  problems: Problems,
): NewReport => {
  const page = passedOver ? null : problems.sinceRestart();
  return {
    ...{ type: "stepFailed", number, durationMs, error, locator, passedOver },
    ...(evidence && { evidence }),
    ...(page && { page: boundedProblems(page) }),
  };
};

const isMoreRecorded = ({ evidence: wish = NO_WISH }: RunTestInput): boolean =>
  wish.trace || wish.har || wish.video;

const closeOrKill = async (closed: Promise<void>, processId: number | null): Promise<void> => {
  let isClosed = false;
  const closing = closed.then(() => {
    isClosed = true;
  });
  await withLimit(closing, ABORT_MS, () => null).catch(() => {});
  if (!isClosed && processId !== null) killTree(processId);
};

/** What a test's steps stand on. */
const prepare = (
  { context, page, session }: PooledContext,
  hidden: HiddenFields,
  report: (each: NewReport) => void,
): { stage: Stage; camera: Camera } => {
  const stage = createStage(context, page);
  const subject = () => ({ page: stage.page(), session: stage.page() === page ? session : null });
  const camera = createCamera(subject, hidden, (number, bytes, sameAs) =>
    report({
      ...{ type: "screenshotTaken", number, format: "jpeg", bytes, name: null },
      ...(sameAs !== null && { sameAs }),
    }),
  );
  return { stage, camera };
};

const interrupted = (interruption: Interruption): { status: Verdict; error: string } => {
  if (interruption.by === "abort") return STOPPED;
  const status = interruption.by === "limit" ? "failed" : "errored";
  return { status, error: interruption.message };
};

const withoutUndefined = (timeouts: Partial<Timeouts>): Partial<Timeouts> =>
  Object.fromEntries(Object.entries(timeouts).filter(([, value]) => value !== undefined));
