import { findKind, kinds } from "../../catalogue/kinds.ts";
import type { Token } from "../words.ts";
import { kindOf, type NameWords, readElement, reading } from "./slots.ts";
import type { SlotReader, SlotReading } from "./types.ts";
import { BLOCKING } from "./values.ts";

/** One or more elements: `"A", "B" and the "C" button`. Every element of a list is quoted, or has a kind. */
export const elementsSlot =
  (words: NameWords, one: SlotReader, ands: ReadonlySet<string>): SlotReader =>
  (tokens, from, to, source) => {
    const parts: (readonly [number, number])[] = [];
    let start = tokens[from]?.lower === "both" ? from + 1 : from;
    for (let at = start; at < to; at++) {
      const token = tokens[at];
      const isSeparator =
        token !== undefined &&
        ((token.kind === "mark" && token.text === ",") ||
          (token.kind === "word" && ands.has(token.lower)));
      if (!isSeparator) continue;
      if (at > start) parts.push([start, at]);
      start = at + 1;
    }
    if (start >= to) return null;
    parts.push([start, to]);
    if (parts.length < 2) return one(tokens, from, to, source);
    if (isNamedBehind(tokens, parts)) {
      return reading(
        "",
        "It is not clear whether the text behind the comma is its name.",
        BLOCKING,
      );
    }
    const isBoth = tokens[from]?.lower === "both";
    const isMixed = parts.some(
      ([at, end]) =>
        tokens[end - 1]?.kind === "quoted" && findKind(tokens[at]?.lower ?? "") === null,
    );
    const isShared =
      tokens[to - 1]?.kind === "word" && findKind(tokens[to - 1]?.lower ?? "") !== null;
    // `Both the "A" and the "B" field`: the kind may belong to both names.
    if (isBoth && isMixed && isShared) return null;
    return readList(words, tokens, parts, source, one) ?? doubted(one(tokens, from, to, source));
  };

/** `the button, "Save"`: the text may be the name of the button. */
const isNamedBehind = (
  tokens: readonly Token[],
  [first, second]: readonly (readonly [number, number])[],
): boolean => {
  const [from = 0, to = 0] = first ?? [];
  const isBare = to - from === 2 && tokens[from]?.lower === "the";
  const isName = second && tokens[second[0]]?.kind === "quoted" && tokens[to]?.text === ",";
  return isBare && isName === true && findKind(tokens[from + 1]?.lower ?? "") !== null;
};

/** `Terms and Conditions`: a list that is none may be one name. */
const doubted = (found: SlotReading | null): SlotReading | null =>
  found && found.doubt !== null ? found : null;

const readList = (
  words: NameWords,
  tokens: readonly Token[],
  parts: readonly (readonly [number, number])[],
  source: string,
  one: SlotReader,
): SlotReading | null => {
  const [lastFrom = 0, lastTo = 0] = parts.at(-1) ?? [];
  const prefix = pluralBefore(words, tokens.slice(parts[0]?.[0], parts[0]?.[1]));
  if (prefix !== null) {
    const names = parts.map(([from, to]) =>
      to - from === 1 || from === parts[0]?.[0] ? tokens[to - 1] : undefined,
    );
    return names.every((name) => name?.kind === "quoted")
      ? reading(names.map((name) => `${prefix} ${source.slice(name?.start, name?.end)}`))
      : null;
  }
  const plain = plainList(words, tokens, parts, source);
  if (plain) return plain;
  const shared = pluralKind(tokens.slice(lastFrom, lastTo));
  // `the "A" folder and select "B"`: a verb, and no kind of element.
  if (parts.some(([from]) => tokens[from]?.text === "select")) return null;
  const texts: string[] = [];
  for (const [from, to] of parts) {
    const span = tokens.slice(from, to);
    if (!span.some(({ kind }) => kind !== "word") && !hasKind(words, span, source)) return null;
    if (shared !== null) {
      const name = span.find(({ kind }) => kind === "quoted");
      const isNameAlone = span.every(
        (token) => token === name || words.articles.has(token.lower) || to === lastTo,
      );
      if (!name || !isNameAlone) return null;
      texts.push(`${source.slice(name.start, name.end)} ${shared}`);
      continue;
    }
    const found = one(tokens, from, to, source);
    if (!found || found.doubt !== null || typeof found.text !== "string") return null;
    texts.push(found.text);
  }
  return reading(texts);
};

/** `Archive, Restore and Delete buttons`: capitals that share the kind behind the last one. */
const plainList = (
  words: NameWords,
  tokens: readonly Token[],
  parts: readonly (readonly [number, number])[],
  source: string,
): SlotReading | null => {
  const [from = 0, to = 0] = parts.at(-1) ?? [];
  const said = tokens[to - 1]?.lower ?? "";
  const kind = findKind(said);
  if (to - from < 2 || kind === null || kinds[kind].words.includes(said)) return null;
  const names: string[] = [];
  for (const [at, end] of parts) {
    const start = words.articles.has(tokens[at]?.lower ?? "") ? at + 1 : at;
    const last = end === to ? end - 1 : end;
    const span = tokens.slice(start, last);
    if (span.length === 0 || span.length > 3) return null;
    if (!span.every((token) => token.kind === "word" && /^\p{Lu}/u.test(token.text))) return null;
    names.push(`"${source.slice(span[0]?.start, span.at(-1)?.end)}" ${singularOf(said)}`);
  }
  return reading(names);
};

const hasKind = (words: NameWords, span: readonly Token[], source: string): boolean => {
  const found = readElement(words, span, 0, span.length, source);
  return found !== null && kindOf(found.target) !== null && found.doubt === null;
};

const singularOf = (said: string): string =>
  said.endsWith("boxes") || said.endsWith("switches") ? said.slice(0, -2) : said.slice(0, -1);

/** `the tabs "A", "B" and "C"`: the singular of the kind before the first name. */
const pluralBefore = (words: NameWords, tokens: readonly Token[]): string | null => {
  if (tokens.at(-1)?.kind !== "quoted") return null;
  const from = words.articles.has(tokens[0]?.lower ?? "") ? 1 : 0;
  const said = tokens
    .slice(from, -1)
    .map(({ lower }) => lower)
    .join(" ");
  const kind = findKind(said);
  return kind === null || kinds[kind].words.includes(said) ? null : singularOf(said);
};

/** `the "A" and "B" buttons`: the singular of the kind that the last name shares with the others. */
const pluralKind = (tokens: readonly Token[]): string | null => {
  const at = tokens.findIndex(({ kind }) => kind === "quoted");
  if (at < 0 || at === tokens.length - 1) return null;
  const said = tokens
    .slice(at + 1)
    .map(({ lower }) => lower)
    .join(" ");
  const kind = findKind(said);
  if (kind === null || kinds[kind].words.includes(said)) return null;
  return singularOf(said);
};
