import { setTimeout as delay } from "node:timers/promises";
import type { Locator, Page, PageScreenshotOptions } from "playwright";
import { sha256 } from "../../../platform/crypto.ts";
import { sizeOfPng } from "../../../platform/pictures/png.ts";
import {
  CannotJudgeError,
  PictureDiffersError,
  plainMessage,
  StepError,
  StepSkipped,
} from "../errors.ts";
import { findOne } from "../locators.ts";
import { differenceInWords, NOT_APPROVED, type VisualFound, type VisualTurn } from "../visual.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { inWords } from "./polling.ts";

/**
 * Between two pictures of a page that may still be moving, in milliseconds. Playwright takes its second one at once;
 * what changes a few times a second is then the same in both.
 */
const PAUSES = [100, 100, 250, 500];

/** Takes a picture once the page holds still, and compares it with the step's baseline. Nothing is compared while none is approved. */
export const visualCheck: PerformStep = async (context) => {
  const { page, step, stepId, timeouts } = context;
  const { shoot, text } = await subjectOf(context);
  if (text) context.foundBy(text);
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const viewport = `${size.width}x${size.height}`;
  const turn = await context.visual({ stepId, viewport }).catch(cannotCompare);
  const name = step.value || null;
  if (turn.kind === "refused") {
    context.picture(await shoot(timeouts.actionMs), name);
    throw new StepSkipped(turn.reason);
  }
  const { png, found } = await stillPicture(context, turn, shoot);
  context.picture(png, name);
  if (found === null) {
    throw new StepError(
      `The page does not hold still: no two pictures in a row were alike within ${inWords(timeouts.assertionMs)}.`,
      text,
    );
  }
  const actual = { sha256: sha256(png), ...sizeOfPng(png) };
  context.compared({ stepId, viewport, actual, ...found });
  if (found.outcome === "proposed") throw new StepSkipped(NOT_APPROVED);
  if (found.outcome === "different")
    throw new PictureDiffersError(differenceInWords(found, actual), text);
};

type Shoot = (timeoutMs: number) => Promise<Buffer>;

/** The page or the element that the step names. Animations are at their end and the caret is hidden; fonts are waited for. */
const subjectOf = async (
  context: StepContext,
): Promise<{ readonly shoot: Shoot; readonly text: string | null }> => {
  const { page, step, timeouts } = context;
  const how = { type: "png", animations: "disabled", caret: "hide", scale: "css" } as const;
  const painted = (subject: Page | Locator, options: PageScreenshotOptions): Promise<Buffer> =>
    context.hidden.paintOver(page, (painting) => subject.screenshot({ ...options, ...painting }));
  if (step.target.trim() === "") {
    return { shoot: (timeout) => painted(page, { ...how, timeout }), text: null };
  }
  const { locator, text } = await findOne(context, "look", timeouts.actionMs);
  return { shoot: (timeout) => painted(locator, { ...how, timeout }), text };
};

/**
 * The picture that counts: the baseline itself as soon as it is seen, else the newest that was the same twice in
 * a row. A page that differs is given the time of an assertion to come round. `found` null: it never held still.
 */
const stillPicture = async (
  { timeouts, signal }: StepContext,
  turn: Extract<VisualTurn, { kind: "compare" }>,
  shoot: Shoot,
): Promise<{ readonly png: Buffer; readonly found: VisualFound | null }> => {
  const deadline = performance.now() + timeouts.assertionMs;
  let before = null as Buffer | null;
  let compared = null as { readonly png: Buffer; readonly found: VisualFound } | null;
  for (let turns = 0; ; turns += 1) {
    const png: Buffer = await shoot(timeouts.actionMs);
    const isBaseline = turn.sha256 !== null && sha256(png) === turn.sha256;
    if (isBaseline || before?.equals(png)) {
      if (!compared?.png.equals(png)) {
        compared = { png, found: await turn.compare(png).catch(cannotCompare) };
      }
      if (compared.found.outcome !== "different") return compared;
    }
    const isOver = performance.now() >= deadline || signal.aborted;
    if (isOver && before !== null) return compared ?? { png, found: null };
    before = png;
    const pause = PAUSES[Math.min(turns, PAUSES.length - 1)] ?? 500;
    await delay(pause, undefined, { signal }).catch(() => {});
  }
};

const cannotCompare = (error: unknown): never => {
  throw new CannotJudgeError(`The picture could not be compared: ${plainMessage(error)}`);
};
