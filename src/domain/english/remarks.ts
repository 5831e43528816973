import { findKind } from "../catalogue/kinds.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

/** What a sentence says besides its instruction, and what is left without it. */
type Remark = { readonly tokens: readonly Token[]; readonly message: string };

/** What is said of a spot on the screen: which of several is meant may hang on it. */
export const SPOT = "Where on the screen it stands is not looked at: say in what, or next to what.";
const BESIDE = "Where on the page it stands is not looked at.";
const CONDITION = "Under which condition is not looked at.";
const NOTHING_DONE = "What is not done, or left as it is, is no step.";
const NOTE = "A note is no step.";

const PLACES =
  /^(?:at|in|on|near) the (?:very )?(?:top|bottom|upper|lower|left|right|center|centre|middle)(?:[- ](?:left|right|hand))?(?:[- ](?:corner|side|edge|part|half|hand side))?(?: of (?:the|this) (?:page|screen|window|form|app|site|website|dialog|view))?$/;
/** `below the field`, `under the "Email" field` */
const BENEATH = /^\w+ (?:the|its|that) (?:\S+ ){0,4}\S+$/;
const LEFT =
  /^(?:and )?(?:leave|leaving|keep|keeping) (?:the|all|everything|every)(?: [a-z]+){0,3} (?:as is|as it is|as they are|unchanged|untouched|alone|as-is|unselected|unticked|unchecked)$/;
const NOTED = /^(?:please )?(?:note|notice that|be aware|keep in mind|nb|fyi)\b/;
const NEGATED = /^(?:(?:and|but) )?(?:do not|don't|never)$/;

/** The words that a remark begins with, or that stand before it: most have no part in one. */
const REMARKING = new Set(
  "at in on near below above under underneath beneath as and but".split(" "),
);

/** The instruction without a remark at its end, or before it; null when there is none. */
export const withoutRemark = (tokens: readonly Token[], source: string): Remark | null => {
  const said = (from: number, to = tokens.length): string =>
    source.slice(tokens[from]?.start, tokens[to - 1]?.end).toLowerCase();
  for (let at = 2; at < tokens.length; at++) {
    if (!isMark(tokens[at], ",;") && !REMARKING.has(word(tokens[at]))) continue;
    if (/^(?:at|in|on|near)$/.test(word(tokens[at])) && PLACES.test(said(at))) {
      return { tokens: tokens.slice(0, at), message: SPOT };
    }
    const isBeneath = /^(?:below|above|under|underneath|beneath)$/.test(word(tokens[at]));
    if (isBeneath && BENEATH.test(said(at)) && findKind(word(tokens.at(-1))) !== null) {
      return { tokens: tokens.slice(0, at), message: BESIDE };
    }
    const isLong = word(tokens[at]) === "as" && word(tokens[at + 1]) === "long";
    if (isLong && word(tokens[at + 2]) === "as") {
      return { tokens: tokens.slice(0, at), message: CONDITION };
    }
    if (!isMark(tokens[at], ",;") && word(tokens[at]) !== "and" && word(tokens[at]) !== "but")
      continue;
    const rest = said(at + 1);
    if (LEFT.test(rest)) return { tokens: tokens.slice(0, at), message: NOTHING_DONE };
    if (NOTED.test(rest)) return { tokens: tokens.slice(0, at), message: NOTE };
    const isNegated = NEGATED.test(said(at + 1, at + 2)) || NEGATED.test(said(at + 1, at + 3));
    if (isNegated) return { tokens: tokens.slice(0, at), message: NOTHING_DONE };
  }
  const first = word(tokens[0]);
  const isNegated =
    first === "don't" || first === "never" || (first === "do" && said(0, 2) === "do not");
  const end = tokens.findIndex((token, at) => at > 1 && isMark(token, ",;"));
  if (isNegated && end > 0 && /^(?:just|only|instead|simply)$/.test(word(tokens[end + 1]))) {
    return { tokens: tokens.slice(end + 2), message: NOTHING_DONE };
  }
  return null;
};

/** The parts of a sentence between semicolons; null when it has none, or nothing stands in one. */
export const partsOf = (tokens: readonly Token[]): readonly (readonly Token[])[] | null => {
  if (!tokens.some((token) => isMark(token, ";"))) return null;
  const parts: (readonly Token[])[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    if (at < tokens.length && !isMark(tokens[at], ";")) continue;
    parts.push(tokens.slice(from, at));
    from = at + 1;
  }
  return parts.length > 1 && parts.every((part) => part.length > 0) ? parts : null;
};
