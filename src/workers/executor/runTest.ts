import type { BrowserContext } from "playwright";
import type { Step } from "../../domain/catalogue/step.ts";
import { actionNames, isAction } from "../../domain/catalogue/vocabulary.ts";
import type { BrowserPool, PooledContext } from "./browserPool.ts";
import { CannotJudgeError, plainMessage, StepError, shorten } from "./errors.ts";
import { isPublicAddress, type NetworkPolicy, refusalOf } from "./networkPolicy.ts";
import type { NewReport, ReportSink, Verdict } from "./report.ts";
import { type Camera, createCamera } from "./screenshots.ts";
import { createStage, type Stage } from "./stage.ts";
import { DEFAULT_TIMEOUTS, type StepContext, type Timeouts } from "./steps/context.ts";
import { performers } from "./steps/index.ts";
import { inWords } from "./steps/polling.ts";
import { substitute } from "./variables.ts";

export type RunTestInput = {
  readonly executionId: string;
  readonly browserName: "chromium";
  readonly steps: readonly Step[];
  readonly baseUrl?: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** What differs from DEFAULT_TIMEOUTS. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly networkPolicy: NetworkPolicy;
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

/** A step that is still not over so long after its own time-out has hung in a place that knows no time-out. */
const HUNG_GRACE_MS = 5_000;
/** The longest fixed pause (steps.md): `wait` has a time of its own. */
const LONGEST_WAIT_MS = 60_000;

/** An abort waits so long for the context to be closed. */
const ABORT_MS = 2_000;

const STOPPED = { status: "errored", error: "The test was stopped before its end." } as const;

/** What ends a test from outside, whatever its step is doing. */
type Interruption = { readonly by: "abort" } | { readonly by: "loss"; readonly message: string };

/**
 * Runs a test's steps in a fresh context of the pool's browser and reports what happens to `sink`.
 *
 * The verdict is `failed` when a step that is not optional failed, `errored` when the test could not be
 * judged: no browser, one that died, an address that was refused. Never rejects, and never hangs: every
 * step has an end, and an abort closes the context within 2 s.
 */
export const runTest = async (
  input: RunTestInput,
  pool: BrowserPool,
  sink: ReportSink,
): Promise<TestResult> => {
  const started = performance.now();
  const durationMs = () => Math.round(performance.now() - started);
  const report = (each: NewReport): void => {
    if (!input.signal.aborted) sink({ ...each, at: new Date().toISOString() });
  };

  if (input.signal.aborted) return { ...STOPPED, durationMs: 0, browserVersion: null };
  let opened: PooledContext;
  try {
    opened = await pool.open({
      serviceWorkers: input.networkPolicy === "open" ? "allow" : "block",
    });
  } catch (error) {
    const message = shorten(`No browser could be started. ${plainMessage(error)}`);
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
  let outcome: { readonly status: Verdict; readonly error: string | null };
  try {
    outcome = await runSteps(input, opened, report);
  } catch (error) {
    outcome = { status: "errored", error: shorten(plainMessage(error)) };
  }
  const result: TestResult = { ...outcome, durationMs: durationMs(), browserVersion };
  const { status, error } = outcome;
  report({ type: "browserFinished", status, durationMs: result.durationMs, error });
  const released = opened.release();
  // The next execution has a context of its own: only an abort waits until this one is closed.
  if (input.signal.aborted) await withLimit(released, ABORT_MS, () => null).catch(() => {});
  return result;
};

const runSteps = async (
  input: RunTestInput,
  opened: PooledContext,
  report: (each: NewReport) => void,
): Promise<{ status: Verdict; error: string | null }> => {
  const { signal, steps } = input;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...withoutUndefined(input.timeouts ?? {}) };
  const watch = watchFor(signal, opened);
  try {
    const prepared = await watch.orInterrupted(prepare(opened, input, watch.lose, report));
    if ("by" in prepared) return interrupted(prepared);
    const { stage, camera } = prepared;
    const variables: Record<string, string> = { ...input.variables };
    const enabled = steps.flatMap((step, index) => (step.disabled ? [] : [index]));

    let verdict: { status: Verdict; error: string | null } = { status: "passed", error: null };
    for (const [index, step] of steps.entries()) {
      const number = index + 1;
      if (verdict.status !== "passed" || step.disabled) {
        const reason = step.disabled ? "The step is disabled." : "A step before it did not pass.";
        report({ type: "stepSkipped", number, reason });
        continue;
      }
      report({ type: "stepStarted", number });
      const ended = await runStep({
        input,
        variables,
        step,
        next: steps[enabled.find((later) => later > index) ?? steps.length] ?? null,
        number,
        stage,
        camera,
        timeouts,
        watch,
        report,
      });
      if (ended.kind === "interrupted" && ended.by === "abort") return interrupted({ by: "abort" });
      if (ended.kind === "passed") {
        const { durationMs, locator } = ended;
        report({ type: "stepPassed", number, durationMs, locator });
        // A page whose dialog is open holds still until it is answered: it gives no picture.
        if (!ended.pictured && !stage.isDialogOpen()) camera.shoot(number);
        continue;
      }
      const { durationMs, locator, error } = ended;
      const passedOver = ended.kind === "failed" && step.optional;
      if (ended.kind === "failed") {
        // What the page looked like when it failed must not be missed: it is taken before anything else happens.
        if (!ended.pictured && !stage.isDialogOpen()) camera.shoot(number);
        report({ type: "stepFailed", number, durationMs, error, locator, passedOver });
        if (!passedOver) verdict = { status: "failed", error: `Step ${number} failed: ${error}` };
      } else {
        if (ended.kind === "refused") camera.shoot(number);
        report({ type: "stepFailed", number, durationMs, error, locator, passedOver });
        verdict = { status: "errored", error: `Step ${number}: ${error}` };
      }
      if (!passedOver) await watch.orInterrupted(camera.settle());
    }
    if (verdict.status === "passed" && stage.isAwaiting()) {
      verdict = { status: "failed", error: "A dialog was to be answered, and none opened." };
    }
    const last = await watch.orInterrupted(camera.settle());
    if (isInterruption(last) && last.by === "abort") return interrupted(last);
    return { status: verdict.status, error: verdict.error && shorten(verdict.error) };
  } finally {
    watch.end();
  }
};

/** Puts the page's guards up before it goes anywhere. */
const prepare = async (
  { context, page, session }: PooledContext,
  input: RunTestInput,
  lose: (message: string) => void,
  report: (each: NewReport) => void,
): Promise<{ stage: Stage; camera: Camera }> => {
  if (input.networkPolicy === "public") await guardAddresses(context, lose);
  page.on("crash", () =>
    lose("The page crashed: the browser's tab ran out of memory or was killed."),
  );
  const stage = createStage(context, page);
  const subject = () => ({ page: stage.page(), session: stage.page() === page ? session : null });
  const camera = createCamera(subject, (number, bytes) =>
    report({ type: "screenshotTaken", number, format: "jpeg", bytes, name: null }),
  );
  return { stage, camera };
};

/**
 * Under the `public` policy: requests to other addresses are not sent, and an answer that came from one all
 * the same (a redirect, a name that resolves differently the second time) ends the test.
 */
const guardAddresses = async (
  context: BrowserContext,
  lose: (message: string) => void,
): Promise<void> => {
  await context.route("**/*", async (route) => {
    const refusal = await refusalOf(route.request().url(), "public");
    await (refusal ? route.abort("accessdenied") : route.continue()).catch(() => {});
  });
  context.on("response", (response) => {
    void response.serverAddr().then(
      (address) => {
        if (!address || isPublicAddress(address.ipAddress)) return;
        lose(
          `${new URL(response.url()).host} led to ${address.ipAddress}, which is not on the public internet.`,
        );
      },
      () => {},
    );
  });
};

type StepEnd = { readonly durationMs: number; readonly locator: string | null } & (
  | { readonly kind: "passed"; readonly pictured: boolean }
  | { readonly kind: "failed"; readonly error: string; readonly pictured: boolean }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "interrupted"; readonly by: Interruption["by"]; readonly error: string }
);

type StepRun = {
  readonly input: RunTestInput;
  /** The run's variables and those that steps have stored. */
  readonly variables: Record<string, string>;
  readonly step: Step;
  /** The step that is performed after this one. */
  readonly next: Step | null;
  readonly number: number;
  readonly stage: Stage;
  readonly camera: Camera;
  readonly timeouts: Timeouts;
  readonly watch: Watch;
  readonly report: (each: NewReport) => void;
};

const runStep = async (run: StepRun): Promise<StepEnd> => {
  const { input, variables, step, next, number, stage, camera, timeouts, watch, report } = run;
  const started = performance.now();
  const over = new AbortController();
  let locator: string | null = null;
  let pictured = false;

  const perform = async (): Promise<void> => {
    if (!isAction(step.action)) {
      throw new StepError(
        `Unknown action ${JSON.stringify(step.action)}. Known: ${actionNames.join(", ")}.`,
      );
    }
    const context: StepContext = {
      page: stage.page(),
      view: stage.view(),
      stage,
      isLast: next === null,
      step: {
        action: step.action,
        target: substitute(step.target, variables),
        value: substitute(step.value, variables),
      },
      baseUrl: input.baseUrl ?? null,
      timeouts,
      networkPolicy: input.networkPolicy,
      signal: over.signal,
      beforeChange: camera.beforeChange,
      foundBy: (text) => {
        locator = text;
      },
      picture: (bytes, name) => {
        pictured = true;
        report({ type: "screenshotTaken", number, format: "png", bytes, name });
      },
      store: (name, text) => {
        variables[name] = text;
      },
    };
    const perform = performers[step.action];
    const isOpen = await stage.act(() => perform(context), isDialogStep(next));
    if (isOpen) pictured = true;
  };

  const limit = longestOf(step, timeouts) + HUNG_GRACE_MS;
  let failure: unknown = null;
  const ended = await watch.orInterrupted(
    withLimit(
      perform(),
      limit,
      () => new StepError(`The step did not end within ${inWords(limit)}.`),
    ).catch((error: unknown) => {
      failure = error ?? new Error("unknown");
    }),
  );
  over.abort();
  const durationMs = Math.round(performance.now() - started);
  if (isInterruption(ended)) {
    const error = ended.by === "loss" ? ended.message : "Stopped.";
    return { kind: "interrupted", by: ended.by, durationMs, locator, error };
  }
  if (failure === null) return { kind: "passed", durationMs, locator, pictured };
  if (failure instanceof CannotJudgeError) {
    return { kind: "refused", durationMs, locator, error: failure.message };
  }
  // A browser that dies fails the call that was under way a moment before it is known to be gone.
  const lost = await watch.lossAfter(failure);
  if (lost) return { kind: "interrupted", by: "loss", durationMs, locator, error: lost };
  const error = failure instanceof StepError ? failure.message : shorten(plainMessage(failure));
  return { kind: "failed", durationMs, locator, error, pictured };
};

const isDialogStep = (step: Step | null): boolean =>
  step?.action === "accept_dialog" || step?.action === "dismiss_dialog";

const NAVIGATING = new Set(["navigate", "go_back", "go_forward", "reload"]);

const longestOf = (step: Step, timeouts: Timeouts): number => {
  if (NAVIGATING.has(step.action)) return timeouts.navigationMs;
  if (step.action === "wait") return LONGEST_WAIT_MS;
  return Math.max(timeouts.actionMs, timeouts.assertionMs);
};

type Watch = {
  /** The value, or what came between: then the promise is left to itself. */
  orInterrupted<Value>(promise: Promise<Value>): Promise<Value | Interruption>;
  /** Says that the browser or the page is lost. */
  lose(message: string): void;
  /** After a call that failed because its page is closed: why, when the browser turns out to be gone. */
  lossAfter(failure: unknown): Promise<string | null>;
  end(): void;
};

const watchFor = (signal: AbortSignal, opened: PooledContext): Watch => {
  let interrupt: (interruption: Interruption) => void = () => {};
  let loss: string | null = null;
  const interruption = new Promise<Interruption>((resolve) => {
    interrupt = resolve;
  });
  const lose = (message: string): void => {
    loss ??= message;
    interrupt({ by: "loss", message });
  };
  const onAbort = () => {
    interrupt({ by: "abort" });
    void opened.release();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  void opened.browserGone.then(() => lose("The browser went away while the test was running."));
  return {
    orInterrupted: (promise) => Promise.race([interruption, promise]),
    lose,
    lossAfter: async (failure) => {
      if (!/has been closed|Target closed|crashed|disconnected/i.test(String(failure))) return loss;
      await withLimit(interruption, 1_000, () => null).catch(() => {});
      return loss ?? "The page was closed while the step was running.";
    },
    end: () => signal.removeEventListener("abort", onAbort),
  };
};

const isInterruption = (value: unknown): value is Interruption =>
  typeof value === "object" && value !== null && "by" in value;

const interrupted = (interruption: Interruption): { status: Verdict; error: string } =>
  interruption.by === "loss" ? { status: "errored", error: interruption.message } : STOPPED;

/** Rejects with what `late` makes when the promise takes longer than `limitMs`. */
const withLimit = async <Value>(
  promise: Promise<Value>,
  limitMs: number,
  late: () => unknown,
): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
};

const withoutUndefined = (timeouts: Partial<Timeouts>): Partial<Timeouts> =>
  Object.fromEntries(Object.entries(timeouts).filter(([, value]) => value !== undefined));
