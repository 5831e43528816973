import type { AgentReport, VisualAnswer } from "../../domain/agents/protocol.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import { sha256 } from "../../platform/crypto.ts";
import { sizeOfPng } from "../../platform/pictures/png.ts";
import type { NewReport } from "../executor/report.ts";
import {
  differenceInWords,
  type VisualFound,
  type VisualReport,
  type Visuals,
  type VisualTurn,
} from "../executor/visual.ts";
import { DEFAULT_VIEWPORT } from "../executor/warmBrowser.ts";
import type { Resumed } from "../runs/claim.ts";

type Message<Type extends AgentReport["type"]> = Extract<AgentReport, { type: Type }>;
type Test = Pick<AgentReport, "attempt" | "browser">;
type StepEnd = Extract<NewReport, { type: "stepPassed" | "stepFailed" | "stepSkipped" }>;

/** What the picture of a step came to. */
type Judged =
  | { readonly kind: "alike" }
  | { readonly kind: "different" | "unknown"; readonly error: string }
  | { readonly kind: "refused"; readonly reason: string };

/** How a test ends by its pictures, where the agent says that it passed. */
type ByPictures = {
  readonly status: "failed" | "errored";
  readonly error: string;
  readonly onlyPictures?: boolean;
};

type AgentPictures = {
  /** Answers an agent that asks; records nothing. Never rejects. */
  answer(message: Message<"visual">): Promise<VisualAnswer>;
  /** What a step's picture came to, where it is one that is compared. Never rejects. */
  judge(message: Message<"screenshot">): Promise<NewReport | null>;
  /** How a step ended, by its picture: what the agent says, unless the picture says otherwise. */
  ended(on: Test, said: StepEnd): Promise<StepEnd>;
  /** How a test ended by its pictures; null where they were not wrong. */
  verdictOf(on: Test): ByPictures | null;
};

/**
 * Judges the pictures of visual checks that an agent takes, as an executor does: by the same baselines, masks
 * and thresholds. An agent that asks knows the outcome before it reports the step; one that does not is judged
 * all the same, and its step and its test end by the picture.
 */
export const judgeAgentPictures = (deps: {
  readonly steps: readonly Step[];
  readonly visualsOf: (browser: BrowserName) => Visuals;
  /** What is recorded already of a delivery that goes on. */
  readonly before: Resumed["compared"];
}): AgentPictures => {
  const visuals = new Map<BrowserName, Visuals>();
  const judged = new Map<string, Judged>();
  /** The picture that an agent asked for last: it is the one that it sends, when it does. */
  const asked = new Map<string, { readonly sha256: string; readonly found: VisualFound } | null>();
  for (const one of deps.before) judged.set(keyOf(one, one.number), judgedBy(one, one.actual));

  const checkOf = (number: number): Step | null => {
    const step = deps.steps[number - 1];
    return step?.action === "visual_check" && !step.disabled ? step : null;
  };

  const turnOf = (step: Step, browser: BrowserName, viewport: string): Promise<VisualTurn> => {
    const known = visuals.get(browser) ?? deps.visualsOf(browser);
    visuals.set(browser, known);
    return known({ stepId: step.id, viewport });
  };

  const answer = async (message: Message<"visual">): Promise<VisualAnswer> => {
    const { number, browser, viewport, base64 } = message;
    const step = checkOf(number);
    if (!step) return { kind: "failed", reason: `Step ${number} compares no picture.` };
    const key = keyOf(message, number);
    try {
      const turn = await turnOf(step, browser, viewport);
      if (turn.kind === "refused") return turn;
      if (base64 === undefined) {
        asked.set(key, null);
        return { kind: "compare", sha256: turn.sha256 };
      }
      const png = Buffer.from(base64, "base64");
      const found = await turn.compare(png);
      asked.set(key, { sha256: sha256(png), found });
      const { outcome, pixels, ratio, threshold, allowed, baseline } = found;
      return {
        ...{ kind: "found", outcome, pixels, ratio, threshold, allowed },
        size_differs: found.sizeDiffers,
        baseline: baseline && {
          ...{ sha256: baseline.sha256, width: baseline.width, height: baseline.height },
        },
      };
    } catch (error) {
      return { kind: "failed", reason: inWords(error) };
    }
  };

  const judge = async (message: Message<"screenshot">): Promise<NewReport | null> => {
    const { number, browser, format } = message;
    const step = checkOf(number);
    if (!step || format !== "png") return null;
    const key = keyOf(message, number);
    const last = asked.get(key);
    const png = Buffer.from(message.base64, "base64");
    const hash = sha256(png);
    // Its agent asks, and this one it did not ask about: the page did not hold still.
    if (last === null) return null;
    const viewport = message.viewport ?? `${DEFAULT_VIEWPORT.width}x${DEFAULT_VIEWPORT.height}`;
    try {
      const actual = { sha256: hash, ...sizeOfPng(png) };
      let found = last?.sha256 === hash ? last.found : null;
      if (!found) {
        const turn = await turnOf(step, browser, viewport);
        if (turn.kind === "refused") {
          judged.set(key, turn);
          return null;
        }
        found = await turn.compare(png);
      }
      judged.set(key, judgedBy(found, actual));
      const report: VisualReport = {
        ...found,
        ...{ stepId: step.id, viewport, actual, passedOver: step.optional },
      };
      return { type: "visualCompared", number, ...report };
    } catch (error) {
      judged.set(key, {
        kind: "unknown",
        error: `The picture could not be compared: ${inWords(error)}`,
      });
      return null;
    }
  };

  /** Why a step that is said to have passed has no picture: where none are compared it needs none. */
  const withoutPicture = async (step: Step, { browser }: Test): Promise<string> => {
    const viewport = `${DEFAULT_VIEWPORT.width}x${DEFAULT_VIEWPORT.height}`;
    const turn = await turnOf(step, browser, viewport).catch(() => null);
    return turn?.kind === "refused" ? turn.reason : "The agent sent no picture to compare.";
  };

  const ended = async (on: Test, said: StepEnd): Promise<StepEnd> => {
    const { number } = said;
    const step = checkOf(number);
    if (!step || said.type === "stepFailed") return said;
    const known = judged.get(keyOf(on, number));
    const took =
      said.type === "stepPassed"
        ? { durationMs: said.durationMs, locator: said.locator }
        : { durationMs: 0, locator: null };
    if (!known) {
      if (said.type === "stepSkipped") return said;
      return { type: "stepSkipped", number, reason: await withoutPicture(step, on) };
    }
    switch (known.kind) {
      case "alike":
        return { type: "stepPassed", number, ...took };
      case "refused":
        return { type: "stepSkipped", number, reason: known.reason };
      default: {
        const passedOver = step.optional && known.kind === "different";
        return { type: "stepFailed", number, ...took, error: known.error, passedOver };
      }
    }
  };

  const verdictOf = (on: Test): ByPictures | null => {
    let worst: ByPictures | null = null;
    for (const [index, step] of deps.steps.entries()) {
      const number = index + 1;
      const one = judged.get(keyOf(on, number));
      if (one?.kind === "unknown") {
        return { status: "errored", error: `Step ${number}: ${one.error}` };
      }
      if (one?.kind !== "different" || step.optional) continue;
      const error = `Step ${number} failed: ${one.error}`;
      worst ??= { status: "failed", error, onlyPictures: true };
    }
    return worst;
  };

  return { answer, judge, ended, verdictOf };
};

const keyOf = ({ attempt, browser }: Test, number: number): string =>
  `${attempt}/${browser}/${number}`;

const judgedBy = (
  found: Parameters<typeof differenceInWords>[0],
  actual: Parameters<typeof differenceInWords>[1],
): Judged =>
  found.outcome === "different"
    ? { kind: "different", error: differenceInWords(found, actual) }
    : { kind: "alike" };

const inWords = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
