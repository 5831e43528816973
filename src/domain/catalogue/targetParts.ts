import type { Token } from "../english/words.ts";
import { type KindName, kinds, kindsEndingWith } from "./kinds.ts";

/** A search for elements, before its place restricts it. */
export type Finder =
  /** A selector of Playwright's engines, as written: `css=…`, `xpath=…`, `text=…`, `role=…`. */
  | { readonly by: "selector"; readonly selector: string }
  | { readonly by: "testId"; readonly id: string }
  /**
   * A kind, with or without a name. `phrase` is set if the name is not quoted: the whole phrase may be a name
   * ("Add item") and is searched for as one, too.
   */
  | {
      readonly by: "kind";
      readonly kind: KindName;
      readonly name: string | null;
      readonly phrase: string | null;
      readonly match?: Match;
    }
  /** A name in the page: label, placeholder, accessible name, alt text, title or text. */
  | { readonly by: "name"; readonly name: string; readonly match?: Match };

/**
 * The comparison of a name or text: whole words by default, `exactly` the whole text with its case, `containing` also
 * parts of words.
 */
export type Match = "words" | "exactly" | "containing";

/** One of several elements: `last`, or a number from 1. */
type Ordinal = { readonly at: "last" } | { readonly at: "nth"; readonly nth: number };

/** CSS pixels from the top left. */
export type Point = { readonly x: number; readonly y: number };

/** A parsed target. */
export type Target = {
  readonly find: Finder;
  readonly ordinal: Ordinal | null;
  /** `any "Delete" button`: any of several elements. */
  readonly any?: true;
  /** `point 10,20 of the canvas`: a point in the element, in CSS pixels from its top left. */
  readonly at?: Point;
  /** `… in the "Billing" section`: the container of the element. */
  readonly within: Target | null;
  /** `… next to "Total"`: the element that shares the closest container with this target. */
  readonly near: Target | null;
};

/** The reading of a phrase. `doubt`: why it is uncertain, as a sentence for the author; null if it is certain. */
export type Reading = { readonly target: Target; readonly doubt: string | null };

/** A target without a restriction. */
export const plain = (find: Finder): Target => ({ find, ordinal: null, within: null, near: null });

/** Words that introduce a name and do not belong to it. */
export const ARTICLES = new Set(["the", "a", "an"]);

/** Whether a token is this word. */
export const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === "word" && token.lower === word;

/** The kind in the last words of a phrase, and the position of its first word. */
export const kindAtEnd = (tokens: readonly Token[]): { kind: KindName; from: number } | null => {
  const last = tokens.at(-1);
  if (last?.kind !== "word") return null;
  for (const { kind, before } of kindsEndingWith(last.lower)) {
    const from = tokens.length - 1 - before.length;
    if (from >= 0 && areWords(tokens, from, before)) return { kind, from };
  }
  return null;
};

const areWords = (tokens: readonly Token[], from: number, words: readonly string[]): boolean => {
  for (let at = 0; at < words.length; at++) {
    const token = tokens[from + at];
    if (token?.kind !== "word" || token.lower !== words[at]) return false;
  }
  return true;
};

const NAMING = new Set([
  "named",
  "called",
  "labelled",
  "labeled",
  "titled",
  "saying",
  "reading",
  "containing",
  "says",
  "reads",
  "marked",
  "captioned",
]);
/** The words between an element and its name: `button with the text "Save"`, `link that says "More"`. */
const WITH_NAME =
  /^(?:text|label|name|title|caption|word|words|heading|header|value|placeholder|alt|message|link)$/;

/** `heading "Welcome"`, `button called "Save"`: the kind that consists of all words before the quoted text. */
export const kindBeforeQuoted = (tokens: readonly Token[]): KindName | null => {
  if (tokens.at(-1)?.kind !== "quoted") return null;
  let words = withoutArticle(tokens.slice(0, -1));
  const naming = words.at(-1);
  // `row that contains "Ann"`; without "that" it is a claim.
  const isHolding =
    naming?.lower === "contains" && /^(?:that|which)$/.test(words.at(-2)?.lower ?? "");
  if (naming?.kind === "word" && (NAMING.has(naming.lower) || isHolding)) {
    words = words.slice(0, -1);
    // `link that says "More"`
    if (/^(?:that|which|is)$/.test(words.at(-1)?.lower ?? "")) words = words.slice(0, -1);
    if (/^(?:that|which)$/.test(words.at(-1)?.lower ?? "")) words = words.slice(0, -1);
  } else if (naming?.kind === "word" && /^(?:for|of)$/.test(naming.lower)) {
    // `row for "Ann"`
    const held = kindAtEnd(words.slice(0, -1));
    return held && held.from === 0 && held.kind === "row" ? held.kind : null;
  } else if (naming?.kind === "word" && naming.lower === "with") {
    // `dialog with "Are you sure?"`
    const held = kindAtEnd(words.slice(0, -1));
    return held && held.from === 0 && kinds[held.kind].by === "content" ? held.kind : null;
  } else if (WITH_NAME.test(naming?.lower ?? "")) {
    // `button with the text "Save"`, `row containing the text "Ann"`
    const at = /^(?:the|a|an)$/.test(words.at(-2)?.lower ?? "") ? -3 : -2;
    const joint = words.at(at);
    const isJoint = joint?.kind === "word" && /^(?:with|containing|having)$/.test(joint.lower);
    if (isJoint) words = words.slice(0, at);
  }
  const found = kindAtEnd(words);
  return found && found.from === 0 ? found.kind : null;
};

/** A phrase without the article before it. */
export const withoutArticle = (tokens: readonly Token[]): readonly Token[] =>
  tokens[0]?.kind === "word" && ARTICLES.has(tokens[0].lower) ? tokens.slice(1) : tokens;

const ORDINALS: ReadonlyMap<string, Ordinal> = new Map([
  ["last", { at: "last" }],
  ..."first second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .map((word, index): [string, Ordinal] => [word, { at: "nth", nth: index + 1 }]),
]);

/** The ordinal of a word: `first`, `2nd`, `last`; null for any other word. */
export const ordinalOf = (token: Token): Ordinal | null => {
  if (token.kind !== "word") return null;
  const ordinal = ORDINALS.get(token.lower);
  if (ordinal) return ordinal;
  const digit = token.lower.charCodeAt(0);
  if (digit < 48 || digit > 57) return null;
  const numeral = /^(\d{1,4})(?:st|nd|rd|th)$/.exec(token.lower);
  const nth = Number(numeral?.[1] ?? 0);
  return nth > 0 ? { at: "nth", nth } : null;
};

/** Reads an explicit selector. */
export const selector = (text: string): Finder => {
  if (text.startsWith("#")) return { by: "selector", selector: `css=${text}` };
  if (text.startsWith("//")) return { by: "selector", selector: `xpath=${text}` };
  const at = text.indexOf("=");
  const engine = text.slice(0, at).toLowerCase();
  const body = text.slice(at + 1);
  if (engine !== "testid") return { by: "selector", selector: `${engine}=${body}` };
  return { by: "testId", id: body.replace(/^(["'])(.*)\1$/s, "$2") };
};

/** Whether two targets mean the same. */
export const isSameTarget = (one: Target | null, other: Target | null): boolean => {
  if (one === null || other === null) return one === other;
  const isSameOrdinal =
    one.ordinal?.at === other.ordinal?.at &&
    (one.ordinal?.at !== "nth" ||
      other.ordinal?.at !== "nth" ||
      one.ordinal.nth === other.ordinal.nth);
  return (
    isSameOrdinal &&
    one.any === other.any &&
    one.at?.x === other.at?.x &&
    one.at?.y === other.at?.y &&
    isSameFinder(one.find, other.find) &&
    isSameTarget(one.within, other.within) &&
    isSameTarget(one.near, other.near)
  );
};

const isSameFinder = (one: Finder, other: Finder): boolean => {
  switch (one.by) {
    case "selector":
      return other.by === "selector" && one.selector === other.selector;
    case "testId":
      return other.by === "testId" && one.id === other.id;
    case "name":
      return other.by === "name" && one.name === other.name && one.match === other.match;
    case "kind":
      return (
        other.by === "kind" &&
        one.kind === other.kind &&
        one.name === other.name &&
        one.match === other.match &&
        one.phrase === other.phrase
      );
  }
};
