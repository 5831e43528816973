import { secretsIn } from "../../domain/catalogue/secrets.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import { actionNames, isAction } from "../../domain/catalogue/vocabulary.ts";
import { boxInViewport, type SeenBox } from "../../domain/runs/executions/stepEvidence.ts";
import { within } from "../../platform/within.ts";
import {
  CannotJudgeError,
  ClosedMeanwhileError,
  PictureDiffersError,
  plainMessage,
  StepError,
  StepSkipped,
  shorten,
} from "./errors.ts";
import { noFiles, type ReadFile } from "./files.ts";
import type { HealingMemory, StepHealing } from "./healing/memory.ts";
import type { HiddenFields } from "./hiddenFields.ts";
import type { NetworkPolicy } from "./networkPolicy.ts";
import { nothingToLookAt } from "./nothingToLookAt.ts";
import type { NewReport } from "./report.ts";
import type { Camera } from "./screenshots.ts";
import type { Secrets } from "./secrets.ts";
import type { Stage } from "./stage.ts";
import { isClaim, isDialogStep, longestOf, putsValue } from "./stepKinds.ts";
import type { Effect, StepContext, Timeouts } from "./steps/context.ts";
import { performers } from "./steps/index.ts";
import { inWords } from "./steps/polling.ts";
import { substitute } from "./variables.ts";
import { noVisuals, type Visuals } from "./visual.ts";
import { type Interruption, isInterruption, PAGE_CLOSED, type Watch } from "./watch.ts";

/** A step that is still not over so long after its own time-out has hung in a place that knows no time-out. */
const HUNG_GRACE_MS = 5_000;

/** An optional step looks for its element for so long. */
const OPTIONAL_MS = 2_000;

const atMost = (timeouts: Timeouts, limitMs: number): Timeouts => ({
  ...timeouts,
  actionMs: Math.min(timeouts.actionMs, limitMs),
  assertionMs: Math.min(timeouts.assertionMs, limitMs),
});

/** How a step ended. */
export type StepEnd = {
  readonly durationMs: number;
  readonly locator: string | null;
  readonly notes?: readonly string[];
  readonly evidence?: SeenBox | null;
} & (
  | { readonly kind: "passed"; readonly pictured: boolean }
  /** `onlyPicture`: a picture is not like its baseline, which nothing else depends on. */
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly pictured: boolean;
      readonly onlyPicture: boolean;
    }
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "interrupted"; readonly by: Interruption["by"]; readonly error: string }
);

/** A step, and all that it is run with. */
export type StepRun = {
  readonly input: {
    readonly baseUrl?: string | undefined;
    readonly networkPolicy: NetworkPolicy;
    readonly visuals?: Visuals | undefined;
    readonly files?: ReadFile | undefined;
    readonly healing?: HealingMemory | undefined;
  };
  readonly secrets: Secrets;
  readonly hidden: HiddenFields;
  /** The run's variables and those that steps have stored. */
  readonly variables: Record<string, string>;
  readonly step: Step;
  /** The step that is performed after this one. */
  readonly next: Step | null;
  readonly number: number;
  readonly stage: Stage;
  readonly camera: Camera;
  readonly timeouts: Timeouts;
  requestsInFlight(): number;
  readonly watch: Watch;
  readonly report: (each: NewReport) => void;
  /** Takes the effect of a step that must last. */
  readonly lasts: (effect: Effect) => void;
};

/** The findings and effects of a step so far. */
type Findings = {
  locator: string | null;
  /** Whether the step took its own picture, or none can be taken. */
  pictured: boolean;
  readonly notes: Set<string>;
  evidence: SeenBox | null;
};

/** Performs a step to its end; never rejects. */
export const runStep = async (given: StepRun): Promise<StepEnd> => {
  const { step, watch } = given;
  const timeouts = step.optional ? atMost(given.timeouts, OPTIONAL_MS) : given.timeouts;
  const run = { ...given, timeouts };
  const started = performance.now();
  const over = new AbortController();
  const found: Findings = { locator: null, pictured: false, notes: new Set(), evidence: null };
  const limit = longestOf(step, timeouts) + HUNG_GRACE_MS;
  let failure: unknown = null;
  const ended = await watch.orInterrupted(
    within(perform(run, found, over.signal), limit, () => {
      throw new StepError(`The step did not end within ${inWords(limit)}.`);
    }).catch((error: unknown) => {
      failure = error ?? new Error("unknown");
    }),
  );
  over.abort();
  const durationMs = Math.round(performance.now() - started);
  const { locator, pictured, notes, evidence } = found;
  if (isInterruption(ended)) {
    const error = ended.by === "abort" ? "Stopped." : ended.message;
    return { kind: "interrupted", by: ended.by, durationMs, locator, error };
  }
  if (failure === null) {
    return { kind: "passed", durationMs, locator, pictured, notes: [...notes], evidence };
  }
  return failed(run, found, failure, durationMs);
};

/** How a step ended that did not succeed. */
const failed = async (
  { step, stage, watch }: StepRun,
  found: Findings,
  failure: unknown,
  durationMs: number,
): Promise<StepEnd> => {
  const { locator } = found;
  if (failure instanceof StepSkipped) {
    return { kind: "skipped", durationMs, locator, reason: failure.message };
  }
  if (failure instanceof CannotJudgeError) {
    return { kind: "refused", durationMs, locator, error: failure.message };
  }
  // A browser that dies fails the call that was under way a moment before it is known to be gone.
  const lost = await watch.lossAfter(failure);
  const { pictured, evidence } = found;
  // A click on "Close" may close the window before the browser has said that it was clicked.
  if (lost === PAGE_CLOSED && failure instanceof ClosedMeanwhileError) {
    return { kind: "passed", durationMs, locator, pictured };
  }
  if (lost) return { kind: "interrupted", by: "loss", durationMs, locator, error: lost };
  // A frame that went while the step was at work is what it failed by, whatever call noticed.
  const error =
    nothingToLookAt(stage, step) ??
    (failure instanceof StepError ? failure.message : shorten(plainMessage(failure)));
  const onlyPicture = failure instanceof PictureDiffersError;
  return { kind: "failed", durationMs, locator, error, pictured, onlyPicture, evidence };
};

/** Fills the step's variables in and performs its action. Rejects if the step fails. */
const perform = async (run: StepRun, found: Findings, signal: AbortSignal): Promise<void> => {
  const { variables, secrets, step, next, stage, camera } = run;
  if (!isAction(step.action)) {
    throw new StepError(
      `Unknown action ${JSON.stringify(step.action)}. Known: ${actionNames.join(", ")}.`,
    );
  }
  const spoken = `${step.target} ${step.value}`;
  // Before the secret is known: a picture that is still being taken then may show it for all it knows, and is dropped.
  if (secretsIn(spoken).length > 0) await camera.settle();
  const secret = await secrets.variablesFor(spoken);
  const filled = (text: string): string => substitute(text, variables, secret);
  // Everything is called "", and nothing is: neither would say anything of what was meant.
  if (isLeftEmpty(step.target, filled)) {
    throw new StepError(`${step.target} names nothing: what is put into it is empty.`);
  }
  if (NAMING_BY_VALUE.has(step.action) && isLeftEmpty(step.value, filled)) {
    throw new StepError(`${step.value} names nothing: what is put into it is empty.`);
  }
  const asFilled = {
    action: step.action,
    target: filled(step.target),
    value: filled(step.value),
  };
  const context = contextOf(run, asFilled, found, signal);
  const nothing = nothingToLookAt(stage, context.step);
  if (nothing !== null) throw new StepError(nothing);
  const performer = performers[step.action];
  const isOpen = await stage.act(() => performer(context), isDialogStep(next));
  if (isOpen) found.pictured = true;
};

/** The context of a performer. It writes what the performer finds into `found`. */
const contextOf = (
  run: StepRun,
  filled: StepContext["step"],
  found: Findings,
  signal: AbortSignal,
): StepContext => {
  const { input, secrets, step, number, stage, camera, report } = run;
  return {
    page: stage.page(),
    view: stage.view(),
    stage,
    isLast: run.next === null,
    step: filled,
    putsSecret: putsValue(step) && secretsIn(step.value).length > 0,
    hidden: run.hidden,
    files: input.files ?? noFiles,
    baseUrl: input.baseUrl ?? null,
    timeouts: run.timeouts,
    networkPolicy: input.networkPolicy,
    signal,
    beforeChange: camera.beforeChange,
    foundBy: (text) => {
      found.locator = text;
    },
    requestsInFlight: run.requestsInFlight,
    noted: (note) => found.notes.add(note),
    sawAt: (at) => {
      // An act may change the page before its picture is taken, and a frame has coordinates of its own.
      const viewport = isClaim(step) && "context" in stage.view() && stage.page().viewportSize();
      found.evidence = viewport ? boxInViewport(at, viewport) : null;
    },
    picture: (bytes, name) => {
      found.pictured = true;
      report({ type: "screenshotTaken", number, format: "png", bytes, name });
    },
    stepId: step.id,
    healing: input.healing ? withoutSecretsIn(input.healing(step), secrets) : null,
    healed: (facts) => report({ type: "locatorHealed", number, stepId: step.id, ...facts }),
    visual: input.visuals ?? noVisuals,
    compared: (each) =>
      report({ type: "visualCompared", number, ...each, passedOver: step.optional }),
    lasts: run.lasts,
    store: (name, text) => {
      run.variables[name] = text;
    },
  };
};

/** Of a page that shows a secret nothing is kept. */
const withoutSecretsIn = (healing: StepHealing, secrets: Secrets): StepHealing => ({
  ...healing,
  keep: (fingerprint) => {
    if (!secrets.isIn(JSON.stringify(fingerprint))) healing.keep(fingerprint);
  },
});

const NAMED_BY_VARIABLE = /["“]\s*(\$\{[^{}]+\})\s*["”]/g;

/** Whose value is what is looked for, or another target. */
const NAMING_BY_VALUE: ReadonlySet<string> = new Set(["assert_contains", "drag"]);

/** Whether variables leave a target, or a name in it, without anything. */
const isLeftEmpty = (target: string, filled: (text: string) => string): boolean => {
  const isBlank = (text: string): boolean => /^(?:text=|testid=)?$/.test(text.trim());
  if (!target.includes("${")) return false;
  return (
    isBlank(filled(target)) ||
    [...target.matchAll(NAMED_BY_VARIABLE)].some(([, name = ""]) => isBlank(filled(name)))
  );
};
