import { findKind, kinds } from "../../catalogue/kinds.ts";
import { parseTarget } from "../../catalogue/target.ts";
import { parseKeyChord } from "../../catalogue/values.ts";
import { elementSlot, reading } from "../engine/slots.ts";
import { bounded, type SlotReader } from "../engine/types.ts";
import { quotedSlot, textSlot } from "../engine/values.ts";
import * as names from "../lexicon/names.ts";
import {
  articles,
  COUNTED,
  element,
  field,
  isLiteral,
  nameWords,
  PARTS,
  textWords,
} from "./englishElements.ts";

export const part = elementSlot(nameWords, (kind) => kind !== null && PARTS.has(kind));
const tabElement = elementSlot(
  nameWords,
  (kind, { find }) =>
    kind === "tab" &&
    find.by === "kind" &&
    find.name !== null &&
    !/^(?:browser|new|previous|other|first|second|last|\d)/i.test(find.name),
);
/** `the "Reviews" tab`, a tab of the page; \`tab "Invoice 88"\` is one of the browser. */
export const tabPart: SlotReader = (tokens, from, to, source) =>
  tokens[to - 1]?.lower === "tab" ? tabElement(tokens, from, to, source) : null;
export const frame = elementSlot(nameWords, (kind) => kind === "frame");
/** `the frame \`2\``: a target in backquotes is taken as it is. */
export const literal: SlotReader = (tokens, from, to, source) =>
  isLiteral(tokens, from, to) ? element(tokens, from, to, source) : null;
export const holder = elementSlot(
  nameWords,
  (kind) => kind !== null && !kinds[kind].container && kind !== "columnheader",
);
const countedOnes = elementSlot(nameWords, (kind, { find }) =>
  kind !== null || find.by === "selector" || find.by === "testId" ? true : COUNTED,
);
/** Several elements: their kind or name says that they can be counted. A target in backquotes is taken as it is. */
export const counted: SlotReader = (tokens, from, to, source) =>
  isLiteral(tokens, from, to)
    ? element(tokens, from, to, source)
    : countedOnes(tokens, from, to, source);

/** A field name before a colon: `Email: "a@b.c"`. */
export const fieldName = bounded(3, (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isKind = span.length === 1 && findKind(span[0]?.lower ?? "") !== null;
  const isName =
    !isKind &&
    !names.noFields.has(span[0]?.lower ?? "") &&
    span.length < 4 &&
    !span.some(({ lower }) => findKind(lower) === "text" || lower === "your") &&
    (span[0]?.kind === "quoted" || /^\p{L}/u.test(span[0]?.text ?? ""));
  return isName ? field(tokens, from, to, source) : null;
});

/** An element of an elliptical list: quoted, or with its kind. */
export const listed: SlotReader = (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isQuoted = span.some(({ kind }) => kind !== "word");
  const found = element(tokens, from, to, source);
  if (!found || isQuoted) return found;
  const last = span.at(-1)?.lower ?? "";
  const hasKind = Object.values(kinds).some(({ words }) => words.includes(last));
  const isMarked = /^\p{Lu}/u.test(span[0]?.text ?? "") || articles.has(span[0]?.lower ?? "");
  return hasKind && isMarked && parseKeyChord(last) === null
    ? found
    : reading(
        found.text,
        `It is not clear whether "${String(found.text)}" is a name: put it in quotes.`,
      );
};

const NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
export const nth = bounded(1, (tokens, from, to) => {
  const word = tokens[from]?.lower ?? "";
  const at = NTH.indexOf(word) + 1 || Number(/^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1] ?? 0);
  return to === from + 1 && at > 0 ? reading(String(at)) : null;
});

const ARROWS = new Set([">", "→", "»", "›", "->", "=>"]);
const DRAWN = new Set(["->", "=>"]);
const hasKind = (text: string): boolean => parseTarget(text).find.by === "kind";
/** A path through menus: `Settings > Users`. */
export const path: SlotReader = (tokens, from, to, source) => {
  const one = tokens[from];
  if (to === from + 1 && one?.kind === "quoted" && source.startsWith("**", one.start)) {
    const parts = one.text.split(/ (?:>|→|->) /);
    return parts.length > 1 ? reading(parts) : null;
  }
  const span = tokens.slice(from, to);
  const kindsOfTokens = new Set(
    span.filter(({ text }) => !ARROWS.has(text)).map(({ kind }) => kind),
  );
  const isDrawn = span.some(({ text }) => DRAWN.has(text));
  // `Click Confirm -> "Thank you"`: the text behind a drawn arrow is the outcome, unless every part is quoted.
  if (isDrawn && kindsOfTokens.size > 1) return null;
  const texts: string[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && !ARROWS.has(tokens[at]?.text ?? "")) continue;
    const found = at > start ? element(tokens, start, at, source) : null;
    // `Click the Bell icon -> "3 new messages"`: a kind is no entry of a menu.
    if (isDrawn && (!found || hasKind(String(found.text)))) return null;
    if (!found || found.doubt !== null || typeof found.text !== "string") return null;
    texts.push(found.text);
    start = at + 1;
  }
  return texts.length > 1 ? reading(texts) : null;
};

export const option = bounded(8, textSlot(textWords));

/** The words of an option: several words are a name, unless an article says that any will do. */
export const optionText = bounded(8, (tokens, from, to, source) => {
  const found = option(tokens, from, to, source);
  if (!found?.doubt) return found;
  const first = tokens[from];
  const isCapital =
    first?.kind === "word" && /^(?:\p{Lu}|\d+(?!\d*(?:st|nd|rd|th)$))/u.test(first.text);
  const isShort = tokens.slice(from, to).every(({ lower }) => !names.textTrouble.has(lower));
  return isCapital && isShort && to - from < 6 ? reading(found.text, null, 0.3) : found;
});

/** A name of a test: quoted, or in backquotes. */
export const test = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  return to === from + 1 && (token?.kind === "quoted" || token?.kind === "literal")
    ? reading(token.text)
    : null;
});

/** Whether words speak of a text instead of saying it: `a valid email`, `3 or 4`. */
export const isVagueText = (said: string): boolean => {
  const words = said.toLowerCase().split(/\s+/);
  const isVague = words.length > 1 && names.vagueText.has(words[0] ?? "");
  return isVague || words.includes("or") || words.some((word) => names.textDescribing.has(word));
};

/** The words behind a colon or the name of a field, up to a mark: `Town: Whitby`. */
export const freeText = bounded(8, (tokens, from, to, source) => {
  const span = tokens.slice(from, to);
  const isFree = span.every(
    ({ kind, lower }) => kind === "word" && !/^(?:and|then|->|→|>|=>|[-–—/])$/.test(lower),
  );
  if (!isFree || span.length > 8) return quotedSlot(tokens, from, to, source);
  const next = tokens[to];
  if (next && next.kind !== "mark" && !/^(?:and|then|->|→|>|=>|[-–—/])$/.test(next.lower))
    return null;
  const text = source.slice(span[0]?.start, span.at(-1)?.end);
  const doubt = `It is not clear what "${text}" is: put the text that is meant in quotes.`;
  return reading(text, isVagueText(text) ? doubt : null, 0.2);
});

/** A text that is certainly one without quotes: digits or signs are in it. */
export const bareValue = bounded(1, (tokens, from, to, source) => {
  const [token] = tokens.slice(from, to);
  if (to > from + 1) return null;
  if (
    token?.kind === "word" &&
    /[\d@]/.test(token.text) &&
    !/^\d+(?:st|nd|rd|th)$/.test(token.lower)
  ) {
    return reading(token.text, null, 0.2);
  }
  return quotedSlot(tokens, from, to, source);
});

/** `the code "42"`, `the city "Rome"`: the noun of a text. */
export const noun = bounded(1, (tokens, from, to) => {
  const token = tokens[from];
  const isNoun = token?.kind === "word" && /^[a-z]{3,}$/.test(token.text);
  return to === from + 1 && isNoun && !names.textTrouble.has(token.lower)
    ? reading(token.text, null, 0.1)
    : null;
});
