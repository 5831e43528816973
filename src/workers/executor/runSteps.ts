import { setTimeout as delay } from "node:timers/promises";
import type { Step } from "../../domain/catalogue/step.ts";
import { boundedProblems } from "../../domain/runs/executions/stepEvidence.ts";
import type { PooledContext } from "./browserPool.ts";
import { shorten } from "./errors.ts";
import { createForesight, type Foresight } from "./foresight.ts";
import { guard } from "./guards.ts";
import { createHiddenFields, type HiddenFields } from "./hiddenFields.ts";
import type { Problems } from "./problems.ts";
import type { NewReport, Verdict } from "./report.ts";
import { countRequests } from "./requests.ts";
import { runStep, type StepEnd, type StepRun } from "./runStep.ts";
import { isMoreRecorded, type RunTestInput } from "./runTestInput.ts";
import { type Camera, createCamera } from "./screenshots.ts";
import type { Secrets } from "./secrets.ts";
import { createStage, type Stage } from "./stage.ts";
import { isActing, isOpening, onlyLooksNext } from "./stepKinds.ts";
import { DEFAULT_TIMEOUTS, type Effect, type Timeouts } from "./steps/context.ts";
import { isInterruption, watchFor } from "./watch.ts";

export const STOPPED = {
  status: "errored",
  error: "The test was stopped before its end.",
} as const;

/** How a test ended. `onlyPictures`: the only failures are pictures that differ from their baselines. */
export type Outcome = {
  readonly status: Verdict;
  readonly error: string | null;
  readonly onlyPictures?: boolean;
};

/** A test whose page is open: all that its steps share. */
type OpenTest = Omit<StepRun, "step" | "next" | "number" | "lasts"> & {
  readonly input: RunTestInput;
  readonly problems: Problems;
  readonly foresight: Foresight;
};

/** The verdict of the steps so far. */
type Progress = {
  verdict: { status: Verdict; error: string | null };
  /** The first picture that differs from its baseline: the test goes on, so that every picture is compared. */
  differing: string | null;
  /** Whether a step did something in the page or looked at it. */
  hasDone: boolean;
  /** The effect of the last act, and when it was seen. */
  effect: (Effect & { readonly number: number; readonly at: number }) | null;
};

/** Performs the steps of a test in an opened context and reports each. */
export const runSteps = async (
  input: RunTestInput,
  opened: PooledContext,
  secrets: Secrets,
  report: (each: NewReport) => void,
  problems: Problems,
): Promise<Outcome> => {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...withoutUndefined(input.timeouts ?? {}) };
  const watch = watchFor(input.signal, opened, input.limitMs ?? null);
  const unguard = guard(opened, watch.lose, { mostBytes: input.mostBytes });
  try {
    const hidden = createHiddenFields(secrets, input.showsSecrets !== true);
    const requestsInFlight = countRequests(opened.context);
    const { stage, camera } = prepare(opened, hidden, report);
    const foresight = createForesight(stage);
    const variables: Record<string, string> = { ...input.variables };
    const test: OpenTest = {
      ...{ input, secrets, hidden, variables, stage, camera, timeouts, requestsInFlight },
      ...{ watch, report, problems, foresight },
    };
    const progress: Progress = {
      ...{ verdict: { status: "passed", error: null }, differing: null },
      ...{ hasDone: false, effect: null },
    };
    for (const [index, step] of input.steps.entries()) {
      const ended = await runNext(test, progress, index, step);
      if (ended?.kind === "interrupted" && ended.by === "abort") return STOPPED;
    }
    return await conclude(test, progress);
  } finally {
    unguard();
    watch.end();
  }
};

/** Runs one step, unless it is skipped, and reports its end. An abort is not reported. */
const runNext = async (
  test: OpenTest,
  progress: Progress,
  index: number,
  step: Step,
): Promise<StepEnd | null> => {
  const { input, problems, report, foresight } = test;
  const number = index + 1;
  if (progress.verdict.status !== "passed" || step.disabled) {
    const reason = step.disabled ? "The step is disabled." : "A step before it did not pass.";
    report({ type: "stepSkipped", number, reason });
    return null;
  }
  if (isActing(step)) {
    problems.restart();
    progress.effect = null;
  }
  report({ type: "stepStarted", number });
  const following = followingOf(input.steps, index);
  foresight.look(step, following);
  const after = following.map(([, each]) => each);
  const lasts = (effect: Effect): void => {
    progress.effect = { ...effect, number, at: performance.now() };
  };
  const ended = await runStep({ ...test, step, next: after[0] ?? null, number, lasts });
  if (ended.kind === "passed") progress.hasDone ||= !isOpening(step);
  if (ended.kind === "passed") reportPassed(test, number, ended, after);
  else if (ended.kind === "failed" && step.optional && after.length === 0 && !progress.hasDone) {
    report({ type: "stepSkipped", number, reason: `${NOTHING_DONE} ${ended.error}`, gap: true });
  } else if (ended.kind === "skipped") {
    const isGap = !step.optional;
    report({ type: "stepSkipped", number, reason: ended.reason, ...(isGap && { gap: true }) });
  } else if (ended.kind !== "interrupted" || ended.by !== "abort") {
    await noteFailure(test, progress, step, number, ended);
  }
  return ended;
};

const NOTHING_DONE =
  "No step of this test did anything in the page or looked at it: its optional steps found nothing.";

const reportPassed = (
  { stage, camera, foresight, report }: OpenTest,
  number: number,
  ended: StepEnd & { readonly kind: "passed" },
  after: readonly Step[],
): void => {
  report(passedReport(number, ended, foresight.wasSo(number)));
  // A page whose dialog is open holds still until it is answered: it gives no picture.
  if (ended.pictured || stage.isDialogOpen()) return;
  if (onlyLooksNext(after)) camera.shootSoon(number);
  else camera.shoot(number);
};

/** Reports a step that failed, was refused or was interrupted, and gives its verdict to the test. */
const noteFailure = async (
  { stage, camera, watch, report, problems }: OpenTest,
  progress: Progress,
  step: Step,
  number: number,
  ended: StepEnd & { readonly kind: "failed" | "refused" | "interrupted" },
): Promise<void> => {
  const { error } = ended;
  const passedOver = ended.kind === "failed" && step.optional;
  const failed = failedReport(number, ended, error, passedOver, problems);
  if (ended.kind === "failed") {
    // The page as it failed must not be missed: its picture is taken before anything else happens.
    if (!ended.pictured && !stage.isDialogOpen()) camera.shoot(number);
    report(failed);
    const wrong = `Step ${number} failed: ${error}`;
    if (ended.onlyPicture && !passedOver) progress.differing ??= wrong;
    else if (!passedOver) progress.verdict = { status: "failed", error: wrong };
  } else {
    const isLate = ended.kind === "interrupted" && ended.by === "limit";
    if (ended.kind === "refused" || isLate) camera.shoot(number);
    report(failed);
    const status = isLate ? "failed" : "errored";
    progress.verdict = { status, error: `Step ${number}: ${error}` };
    if (isLate) await camera.settle();
  }
  if (!passedOver) await watch.orInterrupted(camera.settle());
};

/** The outcome of a test whose steps are over. Waits for the last picture. */
const conclude = async (
  { input, stage, camera, watch }: OpenTest,
  progress: Progress,
): Promise<Outcome> => {
  const isForgotten = progress.verdict.status === "passed" && stage.isAwaiting();
  const { status, error }: Outcome = isForgotten
    ? { status: "failed", error: "A dialog was to be answered, and none opened." }
    : await withLastEffect(progress);
  const wrongPicture = status === "passed" ? progress.differing : null;
  if (!input.signal.aborted && !isMoreRecorded(input)) {
    input.stepsOver?.(wrongPicture === null ? status : "failed");
  }
  const last = await watch.orInterrupted(camera.settle());
  if (isInterruption(last) && last.by === "abort") return STOPPED;
  if (wrongPicture !== null) {
    return { status: "failed", error: shorten(wrongPicture), onlyPictures: true };
  }
  return { status, error: error && shorten(error) };
};

/** A page may take back so long after an act what the act has brought about. */
export const LASTS_MS = 250;

/** The verdict, failed if the page has taken the last act back. */
const withLastEffect = async ({ verdict, effect }: Progress): Promise<Progress["verdict"]> => {
  if (verdict.status !== "passed" || effect === null) return verdict;
  await delay(Math.max(0, effect.at + LASTS_MS - performance.now()));
  if (await effect.isStill().catch(() => true)) return verdict;
  const error = `Step ${effect.number} was taken back by the page: ${effect.said}`;
  return { status: "failed", error };
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

/** The stage and the camera of a test. */
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

const withoutUndefined = (timeouts: Partial<Timeouts>): Partial<Timeouts> =>
  Object.fromEntries(Object.entries(timeouts).filter(([, value]) => value !== undefined));
