import { findKind, type KindName, kinds, MAX_KIND_WORDS } from "./kinds.ts";
import { VARIABLE } from "./values.ts";
import { startsSelector, type Token, tokenize } from "./words.ts";

/** What is looked for, before its place on the page narrows it down. */
export type Finder =
  /** A selector of Playwright's engines, as written: `css=…`, `xpath=…`, `text=…`, `role=…`. */
  | { readonly by: "selector"; readonly selector: string }
  | { readonly by: "testId"; readonly id: string }
  /**
   * A kind of thing, with or without a name. `phrase` is set when nothing quoted the name: then the words
   * may as well be a name in whole ("Add item"), and are looked for as one too.
   */
  | {
      readonly by: "kind";
      readonly kind: KindName;
      readonly name: string | null;
      readonly phrase: string | null;
    }
  /** What a person would call it: label, placeholder, accessible name, alt text, title, test id, text. */
  | { readonly by: "name"; readonly name: string };

/** Which one of several: `last`, or counted from 1. */
export type Ordinal = { readonly at: "last" } | { readonly at: "nth"; readonly nth: number };

/** A target, understood. */
export type Target = {
  readonly find: Finder;
  readonly ordinal: Ordinal | null;
  /** `… in the "Billing" section`: the element is inside of that one. */
  readonly within: Target | null;
  /** `… next to "Total"`: the element that shares the closest container with that one. */
  readonly near: Target | null;
};

/** The reading of a phrase, and why it is not certain when it is not (a sentence for a person). */
export type Reading = { readonly target: Target; readonly doubt: string | null };

/** A phrase of more words is no target: it bounds the work on any input. */
const MAX_PHRASE_WORDS = 60;

const plain = (find: Finder): Target => ({ find, ordinal: null, within: null, near: null });

/**
 * Reads a target. Never fails: text that follows none of the forms is the name of something.
 * The forms are those of steps.md, "Targets".
 */
export const parseTarget = (text: string): Target => {
  const trimmed = text.trim();
  if (startsSelector(trimmed) || trimmed.startsWith("//")) return plain(selector(trimmed));
  const { tokens, problem } = tokenize(trimmed);
  const reading = problem ? null : readTarget(tokens, trimmed);
  return reading && reading.doubt === null ? reading.target : plain({ by: "name", name: trimmed });
};

/** Reads the tokens of a phrase as a target; null when there is nothing in it. */
export const readTarget = (tokens: readonly Token[], source: string): Reading | null => {
  const phrase = withoutNoise(tokens);
  if (phrase.length === 0) return null;
  if (phrase.length > MAX_PHRASE_WORDS) {
    return { target: plain({ by: "name", name: source.trim() }), doubt: TOO_LONG };
  }
  const cut = lastPlace(phrase);
  if (!cut) return readHead(phrase, source);
  const head = readTarget(phrase.slice(0, cut.from), source);
  const place = readHead(phrase.slice(cut.to), source);
  if (!head || !place) return null;
  const isTwice = cut.relation === "near" && head.target.near !== null;
  const doubt = head.doubt ?? place.doubt ?? (isTwice ? "It is next to two things at once." : null);
  // `A in the B row in the C section` is read from the right: the outer place goes to the outermost.
  return { target: placed(head.target, cut.relation, place.target), doubt };
};

const placed = (target: Target, relation: "within" | "near", place: Target): Target => {
  if (relation === "near") return { ...target, near: place };
  return {
    ...target,
    within: target.within ? placed(target.within, "within", place) : place,
  };
};

const ARTICLES = new Set(["the", "a", "an"]);
const WITHIN = new Set(["in", "within", "inside", "of", "on", "from"]);
const NEAR = [["next", "to"], ["beside"], ["near"], ["alongside"]];

/** `on the page` and the like say nothing: every element is. */
const withoutNoise = (tokens: readonly Token[]): readonly Token[] => {
  const [a, b, c] = tokens.slice(-3).map((token) => (token.kind === "word" ? token.lower : ""));
  const isNoise =
    /^(?:on|in|at)$/.test(a ?? "") && b === "the" && /^(?:page|screen)$/.test(c ?? "");
  return isNoise ? tokens.slice(0, -3) : tokens;
};

type Place = { readonly from: number; readonly to: number; readonly relation: "within" | "near" };

/** The last `in the … section` or `next to …` of a phrase: where it starts and where its own words do. */
const lastPlace = (tokens: readonly Token[]): Place | null => {
  for (let at = tokens.length - 2; at > 0; at--) {
    const near = NEAR.find((words) =>
      words.every((word, index) => isWord(tokens[at + index], word)),
    );
    if (near && at + near.length < tokens.length) {
      return { from: at, to: at + near.length, relation: "near" };
    }
    const token = tokens[at];
    if (token?.kind !== "word" || !WITHIN.has(token.lower)) continue;
    if (isContainer(tokens.slice(at + 1))) return { from: at, to: at + 1, relation: "within" };
  }
  return null;
};

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === "word" && token.lower === word;

/** Whether a phrase names a container for certain: it has an article or a quoted name, and its kind can hold others. */
const isContainer = (tokens: readonly Token[]): boolean => {
  const isDefinite =
    isWord(tokens[0], "the") || tokens.some(({ kind }) => kind === "quoted" || kind === "selector");
  if (!isDefinite) return false;
  if (tokens.every(({ kind }, index) => kind === "selector" || (index === 0 && kind === "word"))) {
    return tokens.some(({ kind }) => kind === "selector");
  }
  const kind = kindAtEnd(tokens)?.kind ?? kindBeforeQuoted(tokens);
  return kind !== null && kinds[kind].container === true;
};

const kindAtEnd = (tokens: readonly Token[]): { kind: KindName; from: number } | null => {
  for (let count = Math.min(MAX_KIND_WORDS, tokens.length); count > 0; count--) {
    const last = tokens.slice(-count);
    if (last.some((token) => token.kind !== "word")) continue;
    const kind = findKind(last.map((token) => token.lower).join(" "));
    if (kind) return { kind, from: tokens.length - count };
  }
  return null;
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
]);

/** `heading "Welcome"`, `button called "Save"`: the kind that all the words before the quoted text are. */
const kindBeforeQuoted = (tokens: readonly Token[]): KindName | null => {
  if (tokens.at(-1)?.kind !== "quoted") return null;
  let words = withoutArticle(tokens.slice(0, -1));
  const naming = words.at(-1);
  if (naming?.kind === "word" && NAMING.has(naming.lower)) words = words.slice(0, -1);
  else if (/^(?:text|label|name|title)$/.test(naming?.lower ?? "")) {
    // `button with the text "Save"`
    const at = isWord(words.at(-2), "the") ? -3 : -2;
    if (isWord(words.at(at), "with")) words = words.slice(0, at);
  }
  const found = kindAtEnd(words);
  return found && found.from === 0 ? found.kind : null;
};

const withoutArticle = (tokens: readonly Token[]): readonly Token[] =>
  tokens[0]?.kind === "word" && ARTICLES.has(tokens[0].lower) ? tokens.slice(1) : tokens;

const readHead = (tokens: readonly Token[], source: string): Reading | null => {
  const bare = withoutArticle(tokens);
  const [first] = bare;
  if (!first) return null;
  const ordinal = ordinalOf(first);
  const rest = bare.slice(1);
  if (!ordinal || first.kind !== "word" || rest.length === 0) return readNamed(bare, source);
  const named = readNamed(rest, source);
  const next = rest[0];
  const isKindAlone = named?.target.find.by === "kind" && named.target.find.name === null;
  const numbered = named ? { ...named, target: { ...named.target, ordinal } } : null;
  if (next?.kind !== "word" || isKindAlone || kindBeforeQuoted(rest)) return numbered;
  // "First name" is a field; "first Delete button" is one of several; "first name" could be either.
  const isUpper = (text: string) => /^\P{Ll}/u.test(text) && !/^\d/.test(text);
  const isNumeral = /^\d/.test(first.text);
  if (isUpper(next.text) && (isNumeral || !isUpper(first.text))) return numbered;
  if (isUpper(first.text) || next.lower === "name") return readNamed(bare, source);
  const whole = readNamed(bare, source);
  return whole && { ...whole, doubt: `"${first.text}" may count, or belong to the name.` };
};

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/** Which one a word says: `first`, `2nd`, `last`; null for any other. */
export const ordinalOf = (token: Token): Ordinal | null => {
  if (token.kind !== "word") return null;
  if (token.lower === "last") return { at: "last" };
  const index = ORDINALS.indexOf(token.lower);
  if (index >= 0) return { at: "nth", nth: index + 1 };
  const numeral = /^(\d{1,4})(?:st|nd|rd|th)$/.exec(token.lower);
  const nth = Number(numeral?.[1] ?? 0);
  return nth > 0 ? { at: "nth", nth } : null;
};

/** Words that never stand in a name without making one wonder whether the name has ended before them. */
const TROUBLE = new Set(
  [
    "and or then but if when unless until because should must not after before while so also that which",
    "who is are isn't aren't was be has have contains contain twice thrice times any every each either",
    "neither anymore longer except instead without",
  ]
    .join(" ")
    .split(" "),
);
const LEADING_TROUBLE = new Set("all both some no another other none nothing".split(" "));
const ABSENCE = /^(?:no|none|nothing|some)$/;
/** Marks of other notations: emphasis, placeholders, table cells. */
const ODD = /[*<>|[\]{}\\=]|^[-_+~.]{2,}$|!$|\?$/;
const NUMBER = /^\d[\d.]*$/;
const TIME_UNIT = /^(?:ms|millis\w*|s|secs?|seconds?|mins?|minutes?)$/;
const PRONOUNS = new Set(
  "it them this that these those there here everything something anything nothing one ones anywhere somewhere everywhere him her me us".split(
    " ",
  ),
);
const MAX_NAME_WORDS = 8;
const TOO_LONG = "A name this long needs quotes around it.";

/** Reads `"Save" button`, `heading "Welcome"`, `Sign in link`, `"Save"`, `Save`, a selector. */
const readNamed = (tokens: readonly Token[], source: string): Reading | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  if (tokens.length === 1) {
    if (first.kind === "literal") return { target: parseTarget(first.text), doubt: null };
    if (first.kind === "selector") return { target: plain(selector(first.text)), doubt: null };
    if (first.kind === "quoted") return named(first.text);
  }
  const byId = byAttribute(tokens);
  if (byId) return byId;
  const thing = thingOf(tokens);
  if (thing) return thing;
  const atEnd = kindAtEnd(tokens);
  if (first.kind === "quoted" && atEnd?.from === 1) {
    return {
      target: plain(ofKind(atEnd.kind, first.text)),
      doubt: emptyName(first.text),
    };
  }
  const before = kindBeforeQuoted(tokens);
  if (before) {
    return {
      target: plain(ofKind(before, last.text)),
      doubt: emptyName(last.text),
    };
  }
  const phrase = source.slice(first.start, last.end);
  const doubt = doubtOf(tokens);
  if (atEnd && atEnd.from > 0) {
    const lastOfName = tokens[atEnd.from - 1] ?? first;
    const name = source.slice(first.start, lastOfName.end);
    // The page's heading, not one that says "page".
    if (atEnd.kind === "heading" && name === "page") {
      return { target: plain({ by: "kind", kind: "heading", name: null, phrase: null }), doubt };
    }
    return { target: plain({ by: "kind", kind: atEnd.kind, name, phrase }), doubt };
  }
  // "Menu" is what a thing is called; "menu" is what it is.
  if (atEnd?.from === 0 && first.text === first.lower) {
    if (atEnd.kind === "text") {
      return {
        target: plain({ by: "name", name: phrase }),
        doubt: `It is not clear which ${phrase}.`,
      };
    }
    return { target: plain({ by: "kind", kind: atEnd.kind, name: null, phrase }), doubt };
  }
  return { target: plain({ by: "name", name: phrase }), doubt };
};

/** Words for a thing that say nothing of its kind; the quotes around its name say where that ends. */
const THINGS = new Set(
  [
    "element folder file icon badge chip tile tag card tooltip banner logo thumbnail avatar entry step",
    "node hint placeholder snackbar title subtitle value name tree label product control component",
    "accordion option item",
  ]
    .join(" ")
    .split(" "),
);

/** `element "#total"`, `the "Inbox" folder`, `element #total`. */
const thingOf = (tokens: readonly Token[]): Reading | null => {
  const [one, two] = tokens;
  if (tokens.length !== 2 || !one || !two) return null;
  if (one.kind === "word" && one.lower === "element") {
    if (two.kind === "selector") return { target: plain(selector(two.text)), doubt: null };
    if (two.kind !== "quoted") return null;
    return CSS_NAME.test(two.text)
      ? { target: plain({ by: "selector", selector: `css=${two.text}` }), doubt: null }
      : named(two.text);
  }
  if (one.kind !== "quoted" || two.kind !== "word") return null;
  const isThing = THINGS.has(two.lower) && findKind(two.lower) === null;
  return isThing ? named(one.text) : null;
};

/** `element with id "submit"`, `button with class "primary"`. */
const byAttribute = (tokens: readonly Token[]): Reading | null => {
  const at = tokens.findIndex((token) => isWord(token, "with"));
  if (at < 1 || at > 3) return null;
  const rest = tokens.slice(at + 1).filter((token) => !isWord(token, "the"));
  const [what, value] = rest;
  if (rest.length !== 2 || value?.kind !== "quoted" || !/^[\w-]+$/.test(value.text)) return null;
  const words = tokens.slice(0, at);
  const isThing = words.length === 1 && isWord(words[0], "element");
  if (!isThing && kindAtEnd(words)?.from !== 0) return null;
  const mark = isWord(what, "id") ? "#" : isWord(what, "class") ? "." : null;
  if (mark === null || /^\d/.test(value.text)) return null;
  return { target: plain({ by: "selector", selector: `css=${mark}${value.text}` }), doubt: null };
};

/** An id or a class, as in a style sheet. */
const CSS_NAME = /^[#.][A-Za-z_][\w-]*$/;
const CONTROLS = new Set<KindName>([
  ...(["button", "field", "box", "dropdown", "checkbox", "radio", "switch", "frame"] as const),
]);

/** `checkbox "#terms"` is the element with that id: no control is called so. */
const ofKind = (kind: KindName, name: string): Finder =>
  CONTROLS.has(kind) && CSS_NAME.test(name) && name.startsWith("#")
    ? { by: "selector", selector: `css=${name}` }
    : { by: "kind", kind, name, phrase: null };

const named = (name: string): Reading => ({
  target: plain({ by: "name", name }),
  doubt: emptyName(name),
});

const emptyName = (name: string): string | null =>
  name.trim() === "" ? "The name is empty." : null;

const doubtOf = (tokens: readonly Token[]): string | null => {
  const odd = tokens.find(({ kind }) => kind !== "word");
  if (odd) return "It is not clear where the name starts and ends.";
  const strange = tokens.find(({ text }) => ODD.test(text.replaceAll(VARIABLE, "")));
  if (strange) return `It is not clear what "${strange.text}" stands for.`;
  const last = tokens.at(-1);
  if (
    last?.lower === "again" &&
    !/^(?:try|start|play|do|begin)$/.test(tokens.at(-2)?.lower ?? "")
  ) {
    return `It is not clear whether "again" belongs to the name.`;
  }
  const trouble = tokens.find(
    ({ lower }, at) => TROUBLE.has(lower) || (at > 0 && tokens.length > 2 && ARTICLES.has(lower)),
  );
  if (trouble) return `It is not clear whether "${trouble.text}" belongs to the name.`;
  const [first, second] = tokens;
  if (!first) return null;
  if (!second && PRONOUNS.has(first.lower)) {
    return `It is not clear what "${first.text}" stands for.`;
  }
  const leading = second ? findKind(first.lower) : null;
  const isKind = leading && (!kinds[leading].loose || leading === "text");
  if (isKind && !kindAtEnd(tokens)) {
    return `It is not clear whether "${first?.text}" is a kind of thing or part of the name.`;
  }
  const isPlural = tokens.at(-1)?.lower.endsWith("s") === true && kindAtEnd(tokens) !== null;
  // "the All link" is called All; "all links" and "No errors" are called nothing.
  const isTitle = first.text !== first.lower && !isPlural && !ABSENCE.test(first.lower);
  if (second && LEADING_TROUBLE.has(first.lower) && !isTitle) {
    return `It is not clear what "${first.text}" stands for.`;
  }
  if (!second && ordinalOf(first) && first.text === first.lower)
    return `The ${first.text} of what?`;
  if (isPlural && tokens.some(({ text }) => NUMBER.test(text))) {
    return "It is not clear whether they are counted.";
  }
  if (
    tokens.some(({ text }, at) => NUMBER.test(text) && TIME_UNIT.test(tokens[at + 1]?.lower ?? ""))
  ) {
    return "A time is not part of a name.";
  }
  return tokens.length > MAX_NAME_WORDS ? TOO_LONG : null;
};

const selector = (text: string): Finder => {
  if (text.startsWith("#")) return { by: "selector", selector: `css=${text}` };
  if (text.startsWith("//")) return { by: "selector", selector: `xpath=${text}` };
  const at = text.indexOf("=");
  const engine = text.slice(0, at).toLowerCase();
  const body = text.slice(at + 1);
  if (engine !== "testid") return { by: "selector", selector: `${engine}=${body}` };
  return { by: "testId", id: body.replace(/^(["'])(.*)\1$/s, "$2") };
};
