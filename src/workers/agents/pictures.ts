import type { AgentReport, VisualAnswer } from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { sha256 } from "../../platform/crypto.ts";
import { sizeOfPng } from "../../platform/pictures/png.ts";
import { DEFAULT_VIEWPORT } from "../executor/freshContext.ts";
import type { NewReport } from "../executor/report.ts";
import {
  differenceInWords,
  NOT_APPROVED,
  type VisualFound,
  type VisualReport,
  type Visuals,
  type VisualTurn,
} from "../executor/visual.ts";
import type { Resumed } from "../runs/claim.ts";

type Message<Type extends AgentReport["type"]> = Extract<AgentReport, { type: Type }>;
type Test = Pick<AgentReport, "attempt" | "browser">;
type StepEnd = Extract<NewReport, { type: "stepPassed" | "stepFailed" | "stepSkipped" }>;

/** Outcome of the picture of a step. */
type Judged =
  | { readonly kind: "alike" }
  | { readonly kind: "different" | "unknown"; readonly error: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Verdict of a test whose pictures contradict a reported `passed`. */
type PictureVerdict = {
  readonly status: "failed" | "errored";
  readonly error: string;
  readonly onlyPictures?: boolean;
};

export type AgentPictures = {
  /** Answers a question of the agent about a picture. Records nothing. Never rejects. */
  answer(message: Message<"visual">): Promise<VisualAnswer>;
  /** Compares the picture of a visual check; null for other steps. Never rejects. */
  judge(message: Message<"screenshot">): Promise<NewReport | null>;
  /** The end of a step: as reported, unless its picture contradicts it. */
  ended(test: Test, reported: StepEnd): Promise<StepEnd>;
  /** The verdict of a test by its pictures; null if they show no fault. */
  verdictOf(test: Test): PictureVerdict | null;
};

type PictureDeps = {
  readonly steps: readonly Step[];
  readonly visualsOf: (browser: BrowserName) => Visuals;
  /** Recorded comparisons of a resumed delivery. */
  readonly before: Resumed["compared"];
};

type PictureState = PictureDeps & {
  readonly visuals: Map<BrowserName, Visuals>;
  readonly judged: Map<string, Judged>;
  /** The last picture that the agent asked about, by step. null: asked without a picture. */
  readonly asked: Map<string, { readonly sha256: string; readonly found: VisualFound } | null>;
};

const VIEWPORT = `${DEFAULT_VIEWPORT.width}x${DEFAULT_VIEWPORT.height}`;

/**
 * Judges the visual checks of an agent by the same baselines, masks and thresholds as an executor. An agent
 * that asks knows the outcome before it reports the step. The picture decides in any case.
 */
export const judgeAgentPictures = (deps: PictureDeps): AgentPictures => {
  const state: PictureState = {
    ...deps,
    visuals: new Map(),
    judged: new Map(deps.before.map((one) => [keyOf(one, one.number), judgedBy(one, one.actual)])),
    asked: new Map(),
  };
  return {
    answer: (message) => answer(state, message),
    judge: (message) => judge(state, message),
    ended: (test, reported) => ended(state, test, reported),
    verdictOf: (test) => verdictOf(state, test),
  };
};

const answer = async (state: PictureState, message: Message<"visual">): Promise<VisualAnswer> => {
  const { number, browser, viewport, base64 } = message;
  const step = visualCheck(state, number);
  if (!step) return { kind: "failed", reason: `Step ${number} compares no picture.` };
  const key = keyOf(message, number);
  try {
    const turn = await turnOf(state, step, browser, viewport);
    if (turn.kind === "refused") return turn;
    if (base64 === undefined) {
      state.asked.set(key, null);
      return { kind: "compare", sha256: turn.sha256 };
    }
    const png = Buffer.from(base64, "base64");
    const found = await turn.compare(png);
    state.asked.set(key, { sha256: sha256(png), found });
    return answerOf(found);
  } catch (error) {
    return { kind: "failed", reason: errorText(error) };
  }
};

const answerOf = (found: VisualFound): VisualAnswer => {
  const { outcome, pixels, ratio, threshold, allowed, baseline } = found;
  return {
    ...{ kind: "found", outcome, pixels, ratio, threshold, allowed },
    size_differs: found.sizeDiffers,
    baseline: baseline && {
      ...{ sha256: baseline.sha256, width: baseline.width, height: baseline.height },
    },
  };
};

const judge = async (
  state: PictureState,
  message: Message<"screenshot">,
): Promise<NewReport | null> => {
  const { number, browser, format } = message;
  const step = visualCheck(state, number);
  if (!step || format !== "png") return null;
  const key = keyOf(message, number);
  const last = state.asked.get(key);
  const png = Buffer.from(message.base64, "base64");
  const hash = sha256(png);
  // The agent asked about the step but not about a picture: the page was not stable.
  if (last === null) return null;
  const viewport = message.viewport ?? VIEWPORT;
  try {
    const actual = { sha256: hash, ...sizeOfPng(png) };
    let found = last?.sha256 === hash ? last.found : null;
    if (!found) {
      const turn = await turnOf(state, step, browser, viewport);
      if (turn.kind === "refused") {
        state.judged.set(key, turn);
        return null;
      }
      found = await turn.compare(png);
    }
    state.judged.set(key, judgedBy(found, actual));
    const report: VisualReport = {
      ...found,
      ...{ stepId: step.id, viewport, actual, passedOver: step.optional },
    };
    return { type: "visualCompared", number, ...report };
  } catch (error) {
    const text = `The picture could not be compared: ${errorText(error)}`;
    state.judged.set(key, { kind: "unknown", error: text });
    return null;
  }
};

const ended = async (state: PictureState, test: Test, reported: StepEnd): Promise<StepEnd> => {
  const { number } = reported;
  const step = visualCheck(state, number);
  if (!step || reported.type === "stepFailed") return reported;
  const judged = state.judged.get(keyOf(test, number));
  if (!judged) {
    if (reported.type === "stepSkipped") return reported;
    const reason = await missingPicture(state, step, test);
    return { type: "stepSkipped", number, reason, ...gapOf(step) };
  }
  const took =
    reported.type === "stepPassed"
      ? { durationMs: reported.durationMs, locator: reported.locator }
      : { durationMs: 0, locator: null };
  switch (judged.kind) {
    case "alike":
      return { type: "stepPassed", number, ...took };
    case "refused":
      return { type: "stepSkipped", number, reason: judged.reason, ...gapOf(step) };
    default: {
      const passedOver = step.optional && judged.kind === "different";
      return { type: "stepFailed", number, ...took, error: judged.error, passedOver };
    }
  }
};

/** A picture that is not compared is a gap of the test, unless its step is optional. */
const gapOf = ({ optional }: Step): { gap?: true } => (optional ? {} : { gap: true });

/** The reason why a reported step has no picture. */
const missingPicture = async (
  state: PictureState,
  step: Step,
  { browser }: Test,
): Promise<string> => {
  const turn = await turnOf(state, step, browser, VIEWPORT).catch(() => null);
  return turn?.kind === "refused" ? turn.reason : "The agent sent no picture to compare.";
};

const verdictOf = ({ steps, judged }: PictureState, test: Test): PictureVerdict | null => {
  let worst: PictureVerdict | null = null;
  for (const [index, step] of steps.entries()) {
    const number = index + 1;
    const one = judged.get(keyOf(test, number));
    if (one?.kind === "unknown") {
      return { status: "errored", error: `Step ${number}: ${one.error}` };
    }
    if (one?.kind !== "different" || step.optional) continue;
    const error = `Step ${number} failed: ${one.error}`;
    worst ??= { status: "failed", error, onlyPictures: true };
  }
  return worst;
};

/** The step if it is an enabled visual check, else null. */
const visualCheck = ({ steps }: PictureState, number: number): Step | null => {
  const step = steps[number - 1];
  return step?.action === "visual_check" && !step.disabled ? step : null;
};

const turnOf = (
  { visuals, visualsOf }: PictureState,
  step: Step,
  browser: BrowserName,
  viewport: string,
): Promise<VisualTurn> => {
  const known = visuals.get(browser) ?? visualsOf(browser);
  visuals.set(browser, known);
  return known({ stepId: step.id, viewport });
};

const keyOf = ({ attempt, browser }: Test, number: number): string =>
  `${attempt}/${browser}/${number}`;

const judgedBy = (
  found: Parameters<typeof differenceInWords>[0],
  actual: Parameters<typeof differenceInWords>[1],
): Judged => {
  switch (found.outcome) {
    case "different":
      return { kind: "different", error: differenceInWords(found, actual) };
    case "proposed":
      return { kind: "refused", reason: NOT_APPROVED };
    case "same":
      return { kind: "alike" };
    default:
      return assertNever(found.outcome);
  }
};

const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
