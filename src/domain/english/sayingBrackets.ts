import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { word } from "./phrases.ts";
import { closedAt, isJoint, isMark, NEGATING, type Saying, written } from "./sayingParts.ts";
import { thingAt } from "./things.ts";
import { kindLengthAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

/** What ends the words for a thing, before it. */
const BEFORE =
  /^(?:on|in|at|to|into|the|a|an|that|this|click|clicks|tap|press|open|verify|check|see|of|from|over|hover|tick|select|choose|pick)$/;

/** `Click on next month arrow (button "Next month")`, `The record counter ("1 of 48") is visible`: in brackets stands its name. */
export const explainedInBrackets: Saying = (tokens, open, source) => {
  const close = closedAt(tokens, open);
  const inside = tokens.slice(open + 1, close);
  if (close < 0 || inside.length === 0 || inside.length > 4) return null;
  const thing = thingAt(inside, 0);
  const isName = thing?.isQuoted === true && thing.to === inside.length && thing.name !== null;
  let from = open;
  // Words in small letters only tell what it is.
  while (from > 0 && isPlain(tokens[from - 1]) && !BEFORE.test(word(tokens[from - 1]))) from--;
  if (!isName || from === open || open - from > 4) return null;
  if (tokens.slice(from, open).some((token) => NEGATING.test(word(token)))) return null;
  if (tokens.slice(close + 1).some((token) => isMark(token, "("))) return null;
  const isArticle = /^(?:the|a|an|that|this)$/.test(word(tokens[from - 1]));
  const start = isArticle ? from - 1 : from;
  const isFirst = start === 0 || isJoint(tokens[start - 1]) || word(tokens[start - 1]) === "that";
  const isObject =
    /^(?:on|over|at|click|clicks|tap|press|verify|check|see|tick|hover|select|choose|pick)$/.test(
      word(tokens[start - 1]),
    );
  if (!isFirst && !isObject) return null;
  // Of what begins the sentence something must be said.
  if (isFirst && tokens[close + 1] === undefined) return null;
  if (isFirst && baseOf(word(tokens[start])) !== null && !isArticle) return null;
  const before = written(tokens.slice(0, start), source);
  const after = written(tokens.slice(close + 1), source);
  return [`${before} the ${written(inside, source)} ${after}`.trim().replace(/ ([:,;])/, "$1")];
};

const isPlain = (token: Token | undefined): boolean =>
  token?.kind === "word" && /^[\p{L}-]+$/u.test(token.text);

const FIELD = /^(?:field|dropdown|box)$/;

/** `Name the event "Open day" (field "Event name")`: in brackets stands where the text goes. */
export const valueInBrackets: Saying = (tokens, open, source) => {
  const close = closedAt(tokens, open);
  const value = tokens[open - 1];
  const inside = tokens.slice(open + 1, close);
  if (close !== tokens.length - 1 || value?.kind !== "quoted" || inside.length < 2) return null;
  const kindAt = kindLengthAt(inside, 0) > 0 ? 0 : inside.length - 1;
  const kind = findKind(word(inside[kindAt])) ?? "";
  const before = tokens.slice(0, open - 1);
  const isOther = before.some(
    (token) => token.kind !== "word" || NEGATING.test(word(token)) || isJoint(token),
  );
  if (!FIELD.test(kind) || before.length < 1 || isOther || CLAIMED.test(word(before[0])))
    return null;
  if (before.some((token) => /^(?:is|are|should|must|has|contains|shows)$/.test(word(token))))
    return null;
  const text = written([value], source);
  const named = inside.filter((_, at) => at !== kindAt);
  const isName = named.every(
    ({ kind: one, text: said }) => one === "quoted" || /^[\p{L}\d-]+$/u.test(said),
  );
  if (!isName) return null;
  const name = named[0]?.kind === "quoted" ? written(named, source) : `"${written(named, source)}"`;
  const said = word(inside[kindAt]);
  return kind === "dropdown"
    ? [`select ${text} from the ${said} ${name}`]
    : [`fill the ${said} ${name} with ${text}`];
};

const CLAIMED =
  /^(?:verify|check|ensure|confirm|assert|expect|see|click|tap|press|the|a|there|clear)$/;
