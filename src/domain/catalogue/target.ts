import { startsSelector, type Token, tokenize } from "../english/words.ts";
import { type KindName, kinds } from "./kinds.ts";
import { doubtOf, TOO_LONG } from "./targetDoubt.ts";
import {
  byAttribute,
  countsThings,
  emptyName,
  isTextWithWords,
  named,
  ofKind,
  thingOf,
} from "./targetNames.ts";
import {
  isWord,
  kindAtEnd,
  kindBeforeQuoted,
  ordinalOf,
  plain,
  type Reading,
  selector,
  type Target,
  withoutArticle,
} from "./targetParts.ts";

export type { Finder, Match, Point, Target } from "./targetParts.ts";

/** The maximum number of words of a target, which bounds the work on any input. */
const MAX_PHRASE_WORDS = 60;

/** An id in a non-Latin script, or one that begins with an emoji. */
const OTHER_ID = /^#[\p{L}\p{Extended_Pictographic}]/u;

/**
 * Reads a target in one of the forms of steps.md, "Targets". Never fails: any other text is a name.
 */
export const parseTarget = (text: string): Target => {
  const trimmed = text.trim();
  const point = pointOf(trimmed);
  if (point) return point;
  const isSelector = startsSelector(trimmed) || OTHER_ID.test(trimmed) || trimmed.startsWith("//");
  if (isSelector) return plain(selector(trimmed));
  const { tokens, problem } = tokenize(trimmed);
  const reading = problem ? null : readTarget(tokens, trimmed);
  return reading && reading.doubt === null ? reading.target : plain({ by: "name", name: trimmed });
};

const POINT = /^point (-?\d{1,6}) ?, ?(-?\d{1,6})(?: of (.+))?$/s;

/** `point 10,20`, `point 10,20 of "Map"`: a point on the page or in an element; null for any other text. */
const pointOf = (text: string): Target | null => {
  const [, x, y, whole] = POINT.exec(text) ?? [];
  if (x === undefined || y === undefined) return null;
  const target = whole === undefined ? plain(selector("css=:root")) : parseTarget(whole);
  return { ...target, at: { x: Number(x), y: Number(y) } };
};

/** Reads the tokens of a phrase as a target; null if it is empty. */
export const readTarget = (tokens: readonly Token[], source: string): Reading | null => {
  const phrase = withoutNoise(tokens);
  if (phrase.length === 0) return null;
  if (phrase.length > MAX_PHRASE_WORDS) {
    return { target: plain({ by: "name", name: source.trim() }), doubt: TOO_LONG };
  }
  const cut = lastPlace(phrase);
  if (!cut) return readHead(phrase, source);
  const head = readTarget(phrase.slice(0, cut.from), source);
  const place = isHeader(phrase.slice(cut.to))
    ? { target: plain({ by: "kind", kind: "banner", name: null, phrase: null }), doubt: null }
    : asPlace(readHead(phrase.slice(cut.to), source), cut.relation);
  if (!head || !place) return null;
  const isTwice = cut.relation === "near" && head.target.near !== null;
  const doubt = head.doubt ?? place.doubt ?? (isTwice ? "It is next to two things at once." : null);
  // `A in the B row in the C section` is read from the right: the outer place goes to the outermost.
  return { target: placed(head.target, cut.relation, place.target), doubt };
};

/** `in the "Done" column`: the cells below the header, which itself contains nothing. */
const asPlace = (place: Reading | null, relation: "within" | "near"): Reading | null => {
  const find = place?.target.find;
  // `"Edit" in "Billing"`: the name of a part of the page.
  if (relation === "within" && place && find?.by === "name") {
    const section = { by: "kind", kind: "section", name: find.name, phrase: null } as const;
    return { ...place, target: { ...place.target, find: section } };
  }
  if (!place || relation === "near" || find?.by !== "kind" || find.kind !== "columnheader") {
    return place;
  }
  return { ...place, target: { ...place.target, find: { ...find, kind: "section" } } };
};

/** `in the header`: the place, because a heading contains no elements. */
const isHeader = (tokens: readonly Token[]): boolean =>
  tokens.length === 2 && isWord(tokens[0], "the") && isWord(tokens[1], "header");

const placed = (target: Target, relation: "within" | "near", place: Target): Target => {
  if (relation === "near") return { ...target, near: place };
  return {
    ...target,
    within: target.within ? placed(target.within, "within", place) : place,
  };
};

const WITHIN = new Set(["in", "within", "inside", "of", "on", "from"]);

/** The words that can begin a place. */
const RELATING = new Set([...WITHIN, "for", "beside", "near", "alongside", "next", "adjacent"]);

/** The number of words that mean `next to`; 0 if there are none. */
const nearAt = (tokens: readonly Token[], at: number): number => {
  const token = tokens[at];
  if (token?.kind !== "word") return 0;
  switch (token.lower) {
    case "beside":
    case "near":
    case "alongside":
      return 1;
    case "next":
    case "adjacent":
      return isWord(tokens[at + 1], "to") ? 2 : 0;
    default:
      return 0;
  }
};

/** `on the page` and its synonyms, which restrict nothing. */
const withoutNoise = (tokens: readonly Token[]): readonly Token[] => {
  const last = tokens.at(-1);
  if (!isWord(last, "page") && !isWord(last, "screen")) return tokens;
  const [a, b] = tokens.slice(-3);
  const isNoise = a?.kind === "word" && /^(?:on|in|at)$/.test(a.lower) && isWord(b, "the");
  return isNoise && tokens.length > 2 ? tokens.slice(0, -3) : tokens;
};

type Place = { readonly from: number; readonly to: number; readonly relation: "within" | "near" };

/** The last `in the … section` or `next to …` of a phrase: its start, and the start of its own words. */
const lastPlace = (tokens: readonly Token[]): Place | null => {
  for (let at = tokens.length - 2; at > 0; at--) {
    const token = tokens[at];
    if (token?.kind !== "word" || !RELATING.has(token.lower)) continue;
    const near = nearAt(tokens, at);
    if (near > 0 && at + near < tokens.length) {
      return { from: at, to: at + near, relation: "near" };
    }
    // `the "Edit" button for "Ann"`
    if (isFor(tokens, at) && !isRowFor(tokens, at))
      return { from: at, to: at + 1, relation: "near" };
    if (!WITHIN.has(token.lower)) continue;
    if (isContainer(tokens.slice(at + 1)) || holdsOptions(tokens, at) || isInName(tokens, at))
      return { from: at, to: at + 1, relation: "within" };
  }
  return null;
};

/** `"Edit" in "Billing"`: after a complete name, the place may be a name without a kind. */
const isInName = (tokens: readonly Token[], at: number): boolean => {
  const isLast = tokens.length === at + 2 && tokens[at + 1]?.kind === "quoted";
  const isIn = /^(?:in|within|inside)$/.test(tokens[at]?.lower ?? "");
  if (!isLast || !isIn) return false;
  return tokens[at - 1]?.kind === "quoted" || kindAtEnd(tokens.slice(0, at)) !== null;
};

/** `option in the "Country" dropdown`: a dropdown contains only options. */
const holdsOptions = (tokens: readonly Token[], at: number): boolean => {
  const what = kindAtEnd(tokens.slice(0, at)) ?? { kind: kindBeforeQuoted(tokens.slice(0, at)) };
  const where = tokens.slice(at + 1);
  const kind = kindAtEnd(where)?.kind ?? kindBeforeQuoted(where);
  const isNamed = isWord(where[0], "the") || where.some((token) => token.kind === "quoted");
  return what.kind === "option" && kind === "dropdown" && isNamed;
};

/** `… in the row for "Ann"`: "Ann" is the name of the row. */
const isRowFor = (tokens: readonly Token[], at: number): boolean => {
  const kind = kindAtEnd(tokens.slice(0, at));
  return (
    kind?.kind === "row" &&
    isWord(tokens[kind.from - 1], "the") &&
    tokens[kind.from - 2]?.kind === "word" &&
    WITHIN.has(tokens[kind.from - 2]?.lower ?? "")
  );
};

/** `… for "Ann"` after an element with a kind selects one of several. */
const isFor = (tokens: readonly Token[], at: number): boolean => {
  if (!isWord(tokens[at], "for")) return false;
  const article = isWord(tokens[at + 1], "the") ? 1 : 0;
  if (at + article !== tokens.length - 2 || tokens.at(-1)?.kind !== "quoted") return false;
  const isNamed = article === 1 && at === 1 && tokens[0]?.kind === "quoted";
  return isNamed || kindAtEnd(tokens.slice(0, at)) !== null;
};

/** Whether a phrase certainly names a container: an article or a quoted name, and a kind that can contain elements. */
const isContainer = (tokens: readonly Token[]): boolean => {
  const isDefinite =
    isWord(tokens[0], "the") || tokens.some(({ kind }) => kind === "quoted" || kind === "selector");
  if (!isDefinite) return false;
  if (tokens.every(({ kind }, index) => kind === "selector" || (index === 0 && kind === "word"))) {
    return tokens.some(({ kind }) => kind === "selector");
  }
  if (isHeader(tokens)) return true;
  const kind = kindAtEnd(tokens)?.kind ?? kindBeforeQuoted(tokens);
  if (kind === "columnheader") return tokens.some((token) => token.kind === "quoted");
  return kind !== null && kinds[kind].container === true;
};

/** `exactly "Paid"`, `containing "aid"`, `text containing "aid"`: the comparison of a text. */
const comparedText = (tokens: readonly Token[]): Reading | null => {
  const words = isWord(tokens[0], "text") ? tokens.slice(1) : tokens;
  const [how, text] = words;
  if (words.length !== 2 || how?.kind !== "word" || text?.kind !== "quoted") return null;
  if (how.lower !== "exactly" && how.lower !== "containing") return null;
  const target = plain({ by: "name", name: text.text, match: how.lower });
  return { target, doubt: emptyName(text.text) };
};

/** "any product": without a kind or quotes, the words may as well be a name. */
const ANY_OF_NAME = 'It is not clear whether "any" belongs to the name.';

const readHead = (tokens: readonly Token[], source: string): Reading | null => {
  const bare = withoutArticle(tokens);
  const [first] = bare;
  if (!first) return null;
  const compared = comparedText(bare);
  if (compared) return compared;
  if (first.kind === "word" && first.lower === "any" && bare.length > 1) {
    const one = readNamed(withoutArticle(bare.slice(1)), source);
    const isUnbounded = one?.target.find.by === "name" && bare.every(({ kind }) => kind === "word");
    const doubt = isUnbounded ? ANY_OF_NAME : null;
    return one && { target: { ...one.target, any: true }, doubt: doubt ?? one.doubt };
  }
  const ordinal = ordinalOf(first);
  if (!ordinal || first.kind !== "word" || bare.length === 1) return readNamed(bare, source);
  const rest = bare.slice(1);
  const named = readNamed(rest, source);
  const next = rest[0];
  const isKindAlone = named?.target.find.by === "kind" && named.target.find.name === null;
  const numbered = named ? { ...named, target: { ...named.target, ordinal } } : null;
  if (next?.kind !== "word" || isKindAlone || kindBeforeQuoted(rest)) return numbered;
  // `4th tooltip "Delete"`
  if (rest.at(-1)?.kind === "quoted" && named?.doubt === null && thingOf(rest)) return numbered;
  // "First name" is a field; "first Delete button" is one of several; "first name" could be either.
  const isUpper = (text: string) => /^\P{Ll}/u.test(text) && !/^\d/.test(text);
  const isNumeral = /^\d/.test(first.text);
  if (isUpper(next.text) && (isNumeral || !isUpper(first.text))) return numbered;
  if (isUpper(first.text) || next.lower === "name") return readNamed(bare, source);
  if (countsThings(first, rest, named)) return numbered;
  const whole = readNamed(bare, source);
  return whole && { ...whole, doubt: `"${first.text}" may count, or belong to the name.` };
};

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
  if (first.kind === "selector" && isTextWithWords(tokens)) {
    const said = source.slice(first.start, last.end);
    return { target: plain(selector(said)), doubt: null };
  }
  // `` `Command` field ``: code marks before a kind are quotes.
  if (first.kind === "literal" && kindAtEnd(tokens)?.from === 1) {
    return readNamed([{ ...first, kind: "quoted" }, ...tokens.slice(1)], source);
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
  return readUnquoted(tokens, source);
};

/** Reads a name without quotes, with or without a kind: `Sign in link`, `Save`, `search field`. */
const readUnquoted = (tokens: readonly Token[], source: string): Reading | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const phrase = source.slice(first.start, last.end);
  const doubt = doubtOf(tokens);
  const atEnd = kindAtEnd(tokens);
  const ofKindAtEnd = (
    kind: KindName,
    name: string | null,
    by: string | null = phrase,
  ): Reading => ({
    target: plain({ by: "kind", kind, name, phrase: by }),
    doubt,
  });
  if (atEnd && atEnd.from > 0) {
    const lastOfName = tokens[atEnd.from - 1] ?? first;
    const name = source.slice(first.start, lastOfName.end);
    // The page's heading, not one that says "page".
    if (atEnd.kind === "heading" && name === "page") return ofKindAtEnd("heading", null, null);
    return ofKindAtEnd(atEnd.kind, name);
  }
  const isKindAlone = atEnd?.from === 0;
  // `the Search field`: a field named "Search"; `search field` is a kind.
  const isSearch = first.text === "Search" && tokens.length === 2;
  if (isKindAlone && isSearch && atEnd.kind === "field") return ofKindAtEnd("field", "Search");
  // "Menu" is a name; "menu" is a kind.
  if (isKindAlone && first.text === first.lower) {
    if (atEnd.kind !== "text") return ofKindAtEnd(atEnd.kind, null);
    return {
      target: plain({ by: "name", name: phrase }),
      doubt: `It is not clear which ${phrase}.`,
    };
  }
  return { target: plain({ by: "name", name: phrase }), doubt };
};
