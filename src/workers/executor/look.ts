import type { Locator } from "playwright";
import { parseTarget, type Target } from "../../domain/catalogue/target.ts";
import { plainMessage, StepError } from "./errors.ts";
import { outline } from "./inPage.ts";
import {
  type Answer,
  askMatching,
  type Box,
  locatorOf,
  type Said,
  type View,
} from "./matching/ask.ts";
import { isPlainSelector, type Purpose, soughtOf } from "./matching/sought.ts";
import { isGone } from "./nothingToLookAt.ts";
import { textOf } from "./targetText.ts";

/** The result of one look at the page. */
export type Seen =
  /** `isUnclear`: the place of the target is not there, or could be several things: nothing was looked into. */
  | { readonly kind: "none"; readonly reason: string | null; readonly isUnclear: boolean }
  | {
      readonly kind: "some";
      readonly count: number;
      /** The name was found as a part of a longer one: one that is equal may be about to arrive. */
      readonly isPart: boolean;
      /** The match, or all of them: looked for anew whenever it is used. */
      readonly locator: Locator;
      /** How the target was found, in words. */
      readonly text: string;
      readonly notes: readonly string[];
      readonly box: Box | null;
      readonly said?: Said;
      /** Of several, the first in a line each. */
      readonly outlines: readonly string[];
    };

/**
 * Looks once for a target. `thorough` also reads texts that styles put into the page. Throws StepError when it is
 * looked for in a frame that is gone, and for a selector that cannot be read.
 */
export const look = async (
  view: View,
  target: Target,
  purpose: Purpose,
  thorough = false,
): Promise<Seen> => {
  if (isGone(view)) throw new StepError("The frame is gone.");
  if (isPlainSelector(target)) return lookBySelector(view, target, purpose);
  const asked = { sought: soughtOf(target, purpose), purpose, isThorough: thorough };
  const answer = await askMatching(view, asked).catch(nothingYet);
  if (answer.kind === "none") return answer;
  const text = textOf(answer.way, target);
  return { ...answer, locator: locatorOf(view, asked), text };
};

/** Looks for the target of a step. */
export const lookAt = (view: View, target: string, purpose: Purpose, thorough = false) =>
  look(view, parseTarget(target), purpose, thorough);

const NOTHING: Answer = { kind: "none", reason: null, isUnclear: false };
const GONE = /has been closed|Target closed|crashed|disconnected|session closed/i;

/** A page that is being replaced shows nothing; one that is gone cannot be looked at. */
const nothingYet = (error: unknown): Answer => {
  if (error instanceof StepError || GONE.test(plainMessage(error))) throw error;
  return NOTHING;
};

const MAX_OUTLINES = 6;
const ASK_MS = 1_000;

/** An explicit selector is Playwright's own, and may name a control that is hidden behind a drawn one. */
const lookBySelector = async (view: View, target: Target, purpose: Purpose): Promise<Seen> => {
  const selector = target.find.by === "selector" ? target.find.selector : "";
  const all = view.locator(selector);
  const visible = all.filter({ visible: true });
  const shown = await countOf(visible);
  const mayBeHidden = purpose === "check" || purpose === "file";
  const isHidden = shown === 0 && mayBeHidden && (await countOf(all)) === 1;
  const [matches, count] = isHidden ? [all, 1] : [visible, shown];
  if (count === 0) return NOTHING;
  const { ordinal } = target;
  const found = {
    text: textOf(selector, target),
    isPart: false,
    notes: [],
    box: null,
    outlines: [],
  };
  if (ordinal || target.any) {
    const at = !ordinal ? 0 : ordinal.at === "last" ? count - 1 : ordinal.nth - 1;
    if (at < count) return { kind: "some", count: 1, locator: matches.nth(at), ...found };
    const reason = count === 1 ? "there is only 1" : `there are only ${count}`;
    return { kind: "none", reason, isUnclear: false };
  }
  const outlines = count > 1 && purpose !== "claim" ? await outlinesOf(matches, count) : [];
  return { kind: "some", count, locator: matches, ...found, outlines };
};

const outlinesOf = (matches: Locator, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: Math.min(count, MAX_OUTLINES) }, (_, index) =>
      matches
        .nth(index)
        .evaluate(outline, undefined, { timeout: ASK_MS })
        .catch(() => "(gone)"),
    ),
  );

/** How many elements match; none while the page is being replaced. Throws StepError for a selector that is none. */
const countOf = async (locator: Locator): Promise<number> => {
  try {
    return await locator.count();
  } catch (error) {
    const message = plainMessage(error);
    if (GONE.test(message)) throw error;
    if (/selector|Unexpected token|Unknown engine|xpath|Invalid regular/i.test(message)) {
      throw new StepError(`The selector cannot be read: ${message.split("\n")[0]}`);
    }
    return 0;
  }
};
