import {
  COMING,
  DIMMING,
  GOING,
  HOLDING,
  type Holding,
  LIGHTING,
  OPENING,
  STATES,
  type State,
} from "./composePredicates.ts";
import { claimedTextAt } from "./composeTexts.ts";
import { word } from "./phrases.ts";
import { beginningAt, byFirstWord, goesOnAt, lengthAt } from "./saidAt.ts";
import type { Token } from "./words.ts";

/** `"Saved" shown, "Error" not shown` */
const TELEGRAPHIC = byFirstWord(
  [
    ...STATES.filter(({ words }) =>
      /^(?:visible|shown|displayed|hidden|gone|absent|enabled|disabled|clickable|inactive|greyed out|grayed out)$/.test(
        words.join(" "),
      ),
    ),
    ...["visible", "shown", "displayed", "present", "there"].map((said) => ({
      words: ["not", said],
      state: "visible" as const,
      is: false,
    })),
  ],
  ({ words }) => words,
);

/** What is said of a thing without a verb at a place; undefined when nothing is. */
export const telegraphicAt = (tokens: readonly Token[], at: number) =>
  beginningAt(TELEGRAPHIC, tokens, at).find(({ words }) => goesOnAt(tokens, at, words));

const MODAL = /^(?:should|must|will|shall|has|have|needs|need|ought|may|might|can|would)$/;
const BE =
  /^(?:is|are|be|being|been|was|were|gets|get|got|becomes|become|became|remains|remain|stays|stay|looks|look|turns|goes|seems|seem|appears)$/;
const NOT =
  /^(?:not|never|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|shouldn't|mustn't|won't|can't|cannot|hasn't|haven't)$/;
const STAYING =
  /^(?:still|now|then|also|again|just|already|therefore|correctly|immediately|automatically|instantly|both|all|clearly|instead|currently|initially|finally|yet|always|indeed|thus|directly|eventually)$/;

const STATED = byFirstWord(STATES, ({ words }) => words);
const HELD = byFirstWord(HOLDING, ({ words }) => words);

/** Verbs that say all of it by themselves, and what they say. */
const VERBS = (
  [
    [COMING, "visible", true],
    [OPENING, "visible", true],
    [GOING, "visible", false],
    [LIGHTING, "enabled", true],
    [DIMMING, "enabled", false],
  ] as const
).flatMap(([known, state, is]) => known.map((words) => ({ words, state, is })));
const VERBS_BY = byFirstWord(VERBS, ({ words }) => words);
const OPENED = byFirstWord(OPENING, (words) => words);

/** What is claimed of a thing, and behind which word it ends. */
export type Predicate =
  | { readonly kind: "state"; readonly state: State; readonly is: boolean; readonly to: number }
  | {
      readonly kind: "holds";
      readonly as: Holding | "is";
      readonly is: boolean;
      readonly to: number;
    };

/** What is claimed of what stands before a place; null when it is no claim for certain. */
export const predicateAt = (
  tokens: readonly Token[],
  from: number,
  isExpected: boolean,
): Predicate | null => {
  // `expect "A" to appear`
  let at = word(tokens[from]) === "to" && isExpected ? from + 1 : from;
  let isNot = false;
  let isBeing = false;
  let isModal = false;
  for (let rounds = 0; rounds < 8; rounds++) {
    const said = word(tokens[at]);
    const whole = isBeing ? null : verbAt(tokens, at, isNot);
    if (whole) return whole;
    if (said === "no" && /^(?:longer|more)$/.test(word(tokens[at + 1]))) {
      if (isNot) return null;
      isNot = true;
      at += 2;
    } else if (NOT.test(said)) {
      if (isNot || said === "cannot" || said === "can't") return null;
      isNot = true;
      isBeing ||= /^(?:isn't|aren't|wasn't|weren't)$/.test(said);
      at++;
    } else if (BE.test(said) && !isBeing) {
      isBeing = said !== "been";
      at++;
    } else if (MODAL.test(said) && !isBeing && !isModal) {
      isModal = true;
      at += word(tokens[at + 1]) === "to" ? 2 : 1;
    } else if (
      (said === "supposed" || said === "expected" || said === "meant") &&
      isBeing &&
      word(tokens[at + 1]) === "to"
    ) {
      isBeing = false;
      at += 2;
    } else if (STAYING.test(said)) at++;
    else break;
  }
  if (!isBeing) return null;
  const known = beginningAt(STATED, tokens, at).find(({ words }) => goesOnAt(tokens, at, words));
  if (known)
    return {
      kind: "state",
      state: known.state,
      is: known.is !== isNot,
      to: at + known.words.length,
    };
  const last = word(tokens[at - 1]);
  const isPlain = /^(?:is|are|be|was|now|still)$/.test(last);
  return isPlain && !isNot && tokens[at] ? { kind: "holds", as: "is", is: true, to: at } : null;
};

/** Whether a verb stands at a place that says that something opens. */
export const isOpening = (tokens: readonly Token[], at: number): boolean =>
  lengthAt(OPENED, tokens, at) > 0;

const verbAt = (tokens: readonly Token[], at: number, isNot: boolean): Predicate | null => {
  const held = beginningAt(HELD, tokens, at).find(({ words }) => goesOnAt(tokens, at, words));
  // `changes from "A" to "B"`: what it was before is not looked at.
  const isFrom =
    word(tokens[at + 1]) === "from" &&
    tokens[at + 2]?.kind === "quoted" &&
    word(tokens[at + 3]) === "to";
  if (
    isFrom &&
    /^(?:changes|turns|switches|goes|moves|jumps|change|turn|switch|go)$/.test(word(tokens[at]))
  ) {
    return { kind: "holds", as: "equals", is: !isNot, to: at + 4 };
  }
  const isText = held !== undefined && claimedTextAt(tokens, at + held.words.length) !== null;
  if (held && isText) return { kind: "holds", as: held.as, is: !isNot, to: at + held.words.length };
  let best: Predicate | null = null;
  for (const { words, state, is } of beginningAt(VERBS_BY, tokens, at)) {
    const to = at + words.length;
    if ((best === null || to > best.to) && goesOnAt(tokens, at, words))
      best = { kind: "state", state, is: is !== isNot, to };
  }
  return best;
};
