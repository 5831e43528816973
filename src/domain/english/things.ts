import { ordinalOf } from "../catalogue/targetParts.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import { word } from "./phrases.ts";
import { ARTICLES, isCapital, isNameWord, kindLengthAt, LOOKS } from "./thingWords.ts";
import type { Token } from "./words.ts";

/** A thing that a sentence names, by words of which every one is accounted for. */
export type Thing = {
  /** What it is called; null when it is only said what it is. */
  readonly name: string | null;
  /** Whether quotes say where the name ends. */
  readonly isQuoted: boolean;
  /** The words for what it is; empty when none say it. */
  readonly kind: string;
  /** Which one of several; empty when it is not said. */
  readonly ordinal: string;
  /** Where it stands, from the inside to the outside: `in the "A" section`, `next to "B"`. */
  readonly places: readonly string[];
  /** Whether an article or quotes say that it is this one. */
  readonly isDefinite: boolean;
  /** Whether neither quotes, a capital nor a kind say where its name ends. */
  readonly isLoose: boolean;
  /** Whether an article stands before it. */
  readonly hasArticle: boolean;
  /** Whether it is one of any: `a button`. */
  readonly isIndefinite: boolean;
  /** Behind its last word. */
  readonly to: number;
};

type Found = Omit<Thing, "hasArticle" | "isIndefinite">;

const NOWHERE: readonly string[] = [];

const NAMING = /^(?:labelled|labeled|called|named|titled|marked|captioned|saying|reading|stating)$/;
const MAX_NAME = 4;
const NUMBERED = /^(?:row|line|item|result|option)$/;

/** Whether a token is a name in quotes. */
export const isQuotedName = (token: Token | undefined): token is Token =>
  token?.kind === "quoted" && token.text.trim() !== "";

/** The thing that begins with a token, without its places; null when none does for certain. */
export const thingAt = (tokens: readonly Token[], at: number, isLooseToo = false): Thing | null => {
  const isArticle = tokens[at]?.kind === "word" && ARTICLES.has(word(tokens[at]));
  const from = isArticle ? at + 1 : at;
  // Most things are called by a name in quotes, before which nothing else is to be looked for.
  const thing = isQuotedName(tokens[from])
    ? certainAt(tokens, from, "", isArticle)
    : otherThing(tokens, from, isArticle, isLooseToo);
  if (thing === null) return null;
  // Written out: a thing is made so often that a copy of another would be felt.
  return {
    name: thing.name,
    isQuoted: thing.isQuoted,
    kind: thing.kind,
    ordinal: thing.ordinal,
    places: thing.places,
    isDefinite: thing.isDefinite,
    isLoose: thing.isLoose,
    hasArticle: isArticle,
    isIndefinite: isArticle && /^an?$/.test(word(tokens[at])),
    to: thing.to,
  };
};

/** A thing by which one it is, how it looks, what it is, or a name without quotes. */
const otherThing = (
  tokens: readonly Token[],
  from: number,
  isArticle: boolean,
  isLooseToo: boolean,
): Found | null => {
  let next = from;
  const ordinal = tokens[next];
  const isCounted =
    ordinal !== undefined &&
    ordinal.text === ordinal.lower &&
    ordinalOf(ordinal) !== null &&
    word(tokens[next + 1]) !== "name";
  if (isCounted) next++;
  const said = isCounted ? `${ordinal.text} ` : "";
  let named = next;
  while (LOOKS.has(word(tokens[named])) && tokens[named]?.text === tokens[named]?.lower) named++;
  const isSmall = next === 0 || tokens[next]?.text === tokens[next]?.lower;
  return (
    (isSmall ? epithetThing(tokens, next, said) : null) ??
    certainAt(tokens, named, said, isArticle) ??
    describedThing(tokens, next, said, isArticle, isLooseToo && !isCounted)
  );
};

const foundAs = (
  name: string | null,
  isQuoted: boolean,
  kind: string,
  ordinal: string,
  isDefinite: boolean,
  to: number,
): Found => ({
  name,
  isQuoted,
  kind,
  ordinal,
  places: NOWHERE,
  isDefinite,
  isLoose: false,
  to,
});

/** A thing of which nothing is known but what it is called and what it is, and behind which word it ends. */
export const thingCalled = (
  name: string | null,
  isQuoted: boolean,
  kind: string,
  to: number,
): Thing => ({
  ...foundAs(name, isQuoted, kind, "", true, to),
  hasArticle: false,
  isIndefinite: false,
});

/** A thing whose name is quoted, begins with a capital, or is a selector. */
const certainAt = (
  tokens: readonly Token[],
  at: number,
  ordinal: string,
  isArticle: boolean,
): Found | null => {
  const token = tokens[at];
  if (isQuotedName(token)) {
    const kind = kindBehind(tokens, at + 1);
    return foundAs(token.text, true, kind.words, ordinal, true, kind.to);
  }
  const length = kindLengthAt(tokens, at);
  if (length > 0) {
    const kind = wordsAt(tokens, at, at + length);
    const name = nameBehind(tokens, at + length);
    if (name > 0) {
      const called = tokens[name]?.text ?? "";
      return foundAs(called, true, kind, ordinal, true, name + 1);
    }
    const number = /^\d{1,2}$/.exec(word(tokens[at + length]))?.[0];
    if (number && NUMBERED.test(kind) && ordinal === "" && Number(number) > 0) {
      return foundAs(null, false, kind, `${numeral(Number(number))} `, true, at + length + 1);
    }
  }
  let end = at;
  while (end < at + MAX_NAME && isCapital(tokens[end]) && isNameWord(tokens[end])) end++;
  if (end === at) return null;
  const kind = kindBehind(tokens, end);
  const name = sourceOf(tokens, at, end);
  const isKey = kind.words === "" && parseKeyChord(name) !== null;
  if (isKey || (kind.words === "" && isNameWord(tokens[end]))) return null;
  return foundAs(name, false, kind.words, ordinal, isArticle || kind.words !== "", kind.to);
};

/** `event card "Stand-up"`, `success popup "Saved"`: what only describes the kind is left out. */
const epithetThing = (tokens: readonly Token[], at: number, ordinal: string): Found | null => {
  if (kindLengthAt(tokens, at) > 0) return null;
  for (let length = 1; length <= 2; length++) {
    const last = tokens[at + length - 1];
    const isSmall = last?.text === last?.lower || at + length === 1;
    if (!isNameWord(last) || !isSmall) return null;
    const kind = kindLengthAt(tokens, at + length);
    if (kind === 0) continue;
    const to = at + length + kind;
    if (tokens[to]?.kind !== "quoted" || kindLengthAt(tokens, to + 1) > 0) return null;
    return certainAt(tokens, at + length, ordinal, true);
  }
  return null;
};

/** A thing by what it is, or by words in small letters before that. */
const describedThing = (
  tokens: readonly Token[],
  at: number,
  ordinal: string,
  isArticle: boolean,
  isLooseToo: boolean,
): Found | null => {
  for (let length = 0; length <= 3; length++) {
    if (length > 0 && !isNameWord(tokens[at + length - 1])) break;
    if (
      tokens[at + length - 1] !== undefined &&
      length > 0 &&
      isCapital(tokens[at + length - 1]) &&
      at + length > 1
    )
      break;
    const kind = kindLengthAt(tokens, at + length);
    if (kind === 0) continue;
    const to = at + length + kind;
    // `the list item`, `the search box`: the longest kind is the last.
    if (kindLengthAt(tokens, to) > 0 && length < 3) continue;
    if (isNameWord(tokens[to]) && !isAt(tokens, to)) break;
    if (length === 0 && !isArticle && ordinal === "" && at > 0) return null;
    const name = length === 0 ? null : wordsAt(tokens, at, at + length);
    return {
      name,
      isQuoted: false,
      kind: wordsAt(tokens, at + length, to),
      ordinal,
      places: [],
      isDefinite: isArticle,
      isLoose: false,
      to,
    };
  }
  if (!isLooseToo || !isArticle) return null;
  let end = at;
  while (end < at + 3 && isNameWord(tokens[end]) && !isCapital(tokens[end])) end++;
  if (end === at || isNameWord(tokens[end])) return null;
  return {
    name: wordsAt(tokens, at, end),
    isQuoted: false,
    kind: "",
    ordinal,
    places: [],
    isDefinite: true,
    isLoose: true,
    to: end,
  };
};

const isAt = (tokens: readonly Token[], at: number): boolean => NAMING.test(word(tokens[at]));

const numeral = (number: number): string => {
  const known = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ")[
    number - 1
  ];
  return (
    known ??
    `${number}${number % 10 === 1 && number !== 11 ? "st" : number % 10 === 2 && number !== 12 ? "nd" : number % 10 === 3 && number !== 13 ? "rd" : "th"}`
  );
};

const wordsAt = (tokens: readonly Token[], from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map(({ lower }) => lower)
    .join(" ");

const sourceOf = (tokens: readonly Token[], from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map(({ text }) => text)
    .join(" ");

const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;

/** The kind behind a name, also in brackets: `"Save" button`, `"Monthly" (radio button)`. */
const kindBehind = (
  tokens: readonly Token[],
  at: number,
): { readonly words: string; readonly to: number } => {
  const isBracket = isMark(tokens[at], "(");
  const from = isBracket ? at + 1 : at;
  const length = kindLengthAt(tokens, from);
  const to = from + length;
  const words = wordsAt(tokens, from, to);
  if (length === 0 || (isBracket && !isMark(tokens[to], ")"))) return { words: "", to: at };
  // `"Status" select "Open"` says what is done.
  if (!isBracket && length === 1 && /^(?:select|filter|link|label|input|group|form)$/.test(words)) {
    const after = tokens[to];
    if (after?.kind === "quoted" || isCapital(after)) return { words: "", to: at };
  }
  return { words, to: isBracket ? to + 1 : to };
};

/** Where the quoted name of a kind stands behind it: `button "Save"`, `field labelled "Name"`; 0 when there is none. */
const nameBehind = (tokens: readonly Token[], at: number): number => {
  let next = at;
  if (
    /^(?:that|which)$/.test(word(tokens[next])) &&
    /^(?:says|reads|is)$/.test(word(tokens[next + 1]))
  ) {
    next += 2;
  }
  if (NAMING.test(word(tokens[next]))) next++;
  else if (word(tokens[next]) === "with") {
    let named = next + 1;
    if (word(tokens[named]) === "the") named++;
    if (!/^(?:text|label|name|title|caption)$/.test(word(tokens[named]))) return 0;
    next = named + 1;
  }
  const name = tokens[next];
  return isQuotedName(name)
    ? next
    : next > at && isCapital(name) && !isCapital(tokens[next + 1])
      ? next
      : 0;
};
