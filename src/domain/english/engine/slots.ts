import { findKind, type KindName, kinds } from "../../catalogue/kinds.ts";
import { parseTarget, readTarget, type Target } from "../../catalogue/target.ts";
import { isSameTarget } from "../../catalogue/targetParts.ts";
import { quote, type Token } from "../words.ts";
import type { SlotReader, SlotReading } from "./types.ts";

/** The lists of words with which a language bounds names that are not quoted. */
export type NameWords = {
  readonly articles: ReadonlySet<string>;
  readonly purposes: ReadonlySet<string>;
  readonly unfinished: ReadonlySet<string>;
  readonly leading: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly trailing: ReadonlySet<string>;
  readonly describing: ReadonlySet<string>;
  readonly nothing: ReadonlySet<string>;
  readonly linkVerbs: ReadonlySet<string>;
  readonly pronouns: ReadonlySet<string>;
  readonly possessives: ReadonlySet<string>;
};

/** Stands for the subject of a predicate, or the target of the step before, until the clause is complete. */
export const SUBJECT = "\uFDD1";

export const reading = (
  text: string | readonly string[],
  doubt: string | null = null,
  cost = 0,
): SlotReading => ({ text, doubt, cost });

const MAX_NAME = 24;
/** Words that a rule knows are preferred to a name without quotes: the cost of one word of it. */
const NAME_COST = 0.1;

const means = (text: string, target: Target): boolean => isSameTarget(parseTarget(text), target);

const isPlainWord = (token: Token): boolean => token.kind === "word";

/** Why a phrase cannot be a target at all; checked before it is read. */
const isImpossible = (words: NameWords, tokens: readonly Token[]): boolean => {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (!first || !last || tokens.length > MAX_NAME) return true;
  if (first.kind === "mark" || last.kind === "mark") return true;
  if (last.kind === "word" && last.lower.endsWith("'s")) return true;
  if (last.kind === "word" && words.unfinished.has(last.text)) return true;
  const head = tokens[words.articles.has(first.lower) ? 1 : 0] ?? first;
  if (head.kind === "word" && words.leading.has(head.text)) return true;
  if (first.kind === "word" && words.leading.has(first.text)) return true;
  return tokens.some(
    ({ kind, text, lower }, at) =>
      kind === "mark" ||
      (at > 0 && kind === "word" && text.length > 1 && text.startsWith("/")) ||
      (kind === "word" && text === lower && words.never.has(text)),
  );
};

/** Chords and alternatives of keys. */
const KEYS =
  /^(?:ctrl|control|cmd|command|shift|alt|meta|option|strg)\+.+$|^(?:enter|return|tab|esc|escape|delete|space|backspace)\/\w+$/i;

/** `Save to apply your changes`: the name and the purpose of its click. */
const hasPurpose = (words: NameWords, tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ kind, text }, at) =>
      kind === "word" && text === "to" && at > 0 && words.purposes.has(tokens[at + 1]?.text ?? ""),
  );

/** Why a name without quotes may be no name; null if it is one. */
const nameDoubt = (words: NameWords, tokens: readonly Token[], target: Target): string | null => {
  const last = tokens.at(-1);
  if (last && tokens.length > 1 && last.kind === "word" && words.trailing.has(last.text)) {
    return `It is not clear whether "${last.text}" belongs to the name: put the name in quotes.`;
  }
  const key = tokens.find(({ kind, text }) => kind === "word" && KEYS.test(text));
  if (key)
    return `"${key.text}" may be a key: say "the ${key.text} key", or put the name in quotes.`;
  const isLink = target.find.by === "kind" && target.find.kind === "link";
  if (isLink && tokens.length === 2 && words.linkVerbs.has(tokens[0]?.text ?? "")) {
    return 'It is not clear whether "link" belongs to the name: put the name in quotes.';
  }
  const from = words.articles.has(tokens[0]?.lower ?? "") && tokens.length > 1 ? 1 : 0;
  const first = tokens[from];
  if (first?.kind !== "word" || first.text !== first.lower) return null;
  const { find } = target;
  const isAlone = tokens.length - from === 1;
  if (isAlone && words.nothing.has(first.text)) {
    return `It is not clear what "${first.text}" stands for.`;
  }
  const isLower = tokens
    .slice(from)
    .every(({ kind, text, lower }) => kind === "word" && text === lower);
  if (!isLower) return null;
  const which = `It is not clear which is meant: name it, or say what it is chosen from.`;
  if (words.describing.has(first.text) && !isAlone) return which;
  const isCounted = target.ordinal !== null;
  if (find.by === "name" && !isCounted && words.nothing.has(last?.text ?? "")) return which;
  if (find.by === "name" && from === 1 && tokens[0]?.lower !== "the") return which;
  return null;
};

/** The shortest text that means the target: the person's words without article and needless quotes. */
const textOf = (
  words: NameWords,
  tokens: readonly Token[],
  source: string,
  target: Target,
): string | null => {
  const [first] = tokens;
  const from =
    first?.kind === "word" && tokens.length > 1 && words.articles.has(first.lower) ? 1 : 0;
  const raw = source.slice(tokens[from]?.start, tokens.at(-1)?.end);
  const isCorrected = tokens.some(
    ({ kind, text, start }) => kind === "word" && !source.startsWith(text, start),
  );
  if (isCorrected && tokens.every(isPlainWord))
    return tokens
      .slice(from)
      .map(({ text }) => text)
      .join(" ");
  const written = raw.includes("**") ? raw.replace(/\*\*([^*"]+)\*\*/g, '"$1"') : raw;
  if (tokens.every(isPlainWord)) {
    // `Header shows "A"`: a kind keeps no capital of the start of a sentence.
    return first?.start === 0 && !written.includes(" ") && findKind(written.toLowerCase())
      ? written.toLowerCase()
      : written;
  }
  const { find } = target;
  if (find.by === "name" && find.name !== written && means(find.name, target)) return find.name;
  if (means(written, target)) return written;
  const last = tokens.at(-1);
  const joined = `${tokens[from]?.text ?? ""} ${quote(last?.text ?? "")}`;
  return tokens.length === from + 2 && last?.kind === "quoted" && means(joined, target)
    ? joined
    : null;
};

const ADJECTIVE =
  /^(?:validation|success|error|warning|info|confirmation|status|green|red|inline|toast|flash|system|information|informational|temporary|hint|alert)$/;

/** `tooltip with the text "Copied"`: the words between a kind and its name. */
const SAYING = new Set(["with", "the", "text", "message", "reading", "saying", "that", "says"]);

/** `the validation message "Enter a number"`: the adjective of a kind that is found by its text. */
const withoutAdjectives = (words: NameWords, tokens: readonly Token[]): readonly Token[] => {
  const last = tokens.at(-1);
  if (last?.kind !== "quoted" || tokens.length < 3) return tokens;
  const from = words.articles.has(tokens[0]?.lower ?? "") ? 1 : 0;
  const named = tokens[from];
  if (
    named?.lower === "tooltip" &&
    tokens.slice(from + 1, -1).every(({ lower }) => SAYING.has(lower))
  ) {
    return [named, last];
  }
  const adjective = tokens[from];
  const kind = findKind(tokens[from + 1]?.lower ?? "");
  const isLong = tokens.length === from + 3 && adjective?.kind === "word";
  if (!isLong || !ADJECTIVE.test(adjective.lower) || kind === null) return tokens;
  return kinds[kind].by === "text" || kind === "dialog" || kind === "alert"
    ? tokens.slice(from + 1)
    : tokens;
};

type TargetReading = SlotReading & { readonly text: string; readonly target: Target };

/** The elements of a sentence that were read, by span: most slots read the same spans. */
const known = new WeakMap<readonly Token[], Map<number, TargetReading | null>>();

/** Reads a span as one element; null if it cannot be one. */
export const readElement = (
  words: NameWords,
  tokens: readonly Token[],
  from: number,
  to: number,
  source: string,
): TargetReading | null => {
  const spans = known.get(tokens) ?? new Map<number, TargetReading | null>();
  known.set(tokens, spans);
  const key = from * 256 + to;
  const before = spans.get(key);
  if (before !== undefined) return before;
  const found = elementOf(words, tokens.slice(from, to), source);
  spans.set(key, found);
  return found;
};

/** `it`, `its "Close" button`: the target of the step before stands for the pronoun. */
const pronounOf = (
  words: NameWords,
  tokens: readonly Token[],
  source: string,
): TargetReading | null => {
  const [first] = tokens;
  if (first?.kind !== "word") return null;
  if (tokens.length === 1 && words.pronouns.has(first.lower)) {
    return { text: SUBJECT, doubt: null, cost: 0.05, target: parseTarget(first.text) };
  }
  if (tokens.length < 2 || !words.possessives.has(first.lower)) return null;
  const owned = elementOf(words, tokens.slice(1), source);
  if (!owned || owned.doubt !== null || typeof owned.text !== "string") return null;
  const name = owned.target.find.by === "name" ? quoted(owned.target.find.name) : owned.text;
  return { ...owned, text: `${name} in the ${SUBJECT}`, cost: owned.cost + 0.05 };
};

const elementOf = (
  words: NameWords,
  given: readonly Token[],
  source: string,
): TargetReading | null => {
  const pronoun = pronounOf(words, given, source);
  if (pronoun) return pronoun;
  const tokens = withoutAdjectives(words, given);
  const [first] = tokens;
  if (tokens.length === 1 && first?.kind === "literal") {
    const doubt = first.text.trim() === "" ? "The name is empty." : null;
    return { text: first.text, doubt, cost: 0, target: parseTarget(first.text) };
  }
  if (isImpossible(words, tokens)) return null;
  const isPath = tokens.length === 1 && / (?:>|→|->) /.test(first?.text ?? "");
  if (isPath && source.startsWith("**", first?.start)) return null;
  if (tokens.every(isPlainWord) && hasPurpose(words, tokens)) return null;
  const found = readTarget(tokens, source);
  if (!found) return null;
  const doubt = found.doubt ?? nameDoubt(words, tokens, found.target);
  const text = textOf(words, tokens, source, found.target);
  const unclear = "A selector cannot be narrowed down in words.";
  const cost = tokens.every(isPlainWord) ? NAME_COST * (1 + tokens.length) : 0;
  return {
    text: text ?? source.slice(tokens[0]?.start, tokens.at(-1)?.end),
    doubt: doubt ?? (text === null ? unclear : null),
    cost,
    target: found.target,
  };
};

export const kindOf = (target: Target): KindName | null =>
  target.find.by === "kind" ? (target.find.kind as KindName) : null;

/** A slot for elements whose kind fits; `kind` is null for a name without a kind. */
export const elementSlot =
  (
    words: NameWords,
    fits: (kind: KindName | null, target: Target) => boolean | string,
  ): SlotReader =>
  (tokens, from, to, source) => {
    const found = readElement(words, tokens, from, to, source);
    if (!found) return null;
    const fit = fits(kindOf(found.target), found.target);
    if (fit === false) return null;
    return typeof fit === "string" ? { ...found, doubt: found.doubt ?? fit } : found;
  };

/** A container: `the "Billing" section`, `row "Ann"`. Its kind must be said. */
export const placeSlot =
  (words: NameWords): SlotReader =>
  (tokens, from, to, source) => {
    const span = tokens.slice(from, to);
    const found = readElement(words, tokens, from, to, source);
    const kind = found && kindOf(found.target);
    if (!found || found.doubt !== null) return null;
    // `in its row`: the row of the step before.
    if (words.possessives.has(span[0]?.lower ?? "")) return null;
    const isHeader = span.length === 2 && span[1]?.lower === "header";
    const holds =
      found.target.find.by === "selector" ||
      isHeader ||
      (kind !== null &&
        (kinds[kind].container === true || kind === "columnheader" || kind === "tabpanel"));
    if (!holds) return null;
    const written = source.slice(span[0]?.start, span.at(-1)?.end);
    const isDefinite = words.articles.has(span[0]?.lower ?? "") || span[0]?.kind === "selector";
    return reading(isDefinite ? written.replace(/^The /, "the ") : `the ${written}`);
  };

/** Puts a place around an element: `"Change"` + `in the "Billing" section`. Null if that is not certain. */
export const placeIn = (target: string, place: string, relation: string): string | null => {
  const inner = parseTarget(target);
  if (inner.find.by === "selector" || inner.find.by === "testId") return null;
  const within = parseTarget(`"x" ${relation} ${place}`);
  const container = relation === "in" ? within.within : within.near;
  if (!container) return null;
  const isBare = inner.find.by === "name" && inner.find.name === target;
  const head = isBare && inner.find.by === "name" ? quoted(inner.find.name) : target;
  const text = `${head} ${relation} ${place}`;
  const read = parseTarget(text);
  const isKept =
    JSON.stringify(read.find) === JSON.stringify(inner.find) &&
    JSON.stringify(read.ordinal) === JSON.stringify(inner.ordinal);
  return isKept ? text : null;
};

const quoted = (name: string): string => (name.includes('"') ? `“${name}”` : `"${name}"`);
