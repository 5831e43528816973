import { findKind } from "../catalogue/kinds.ts";
import type { StepInput } from "../catalogue/step.ts";
import { word } from "./phrases.ts";
import { readTexts } from "./readings.ts";
import { meaningThat } from "./sayingAsides.ts";
import { NEGATING } from "./sayingParts.ts";
import type { Context } from "./search.ts";
import { quote, type Token } from "./words.ts";

const TYPING = /^(?:type|types|enter|enters|write|writes|input|put|set)$/;
const INTO = /^(?:in|into|as|to)$/;
/** What a mark is written on, and stands behind its name. */
const NAMED =
  /^(?:heading|title|message|toast|button|link|banner|notification|alert|dialog|popup|text)$/;
const MAX_TEXT = 6;

/** Where a mark that ends no sentence stands behind a word; -1 when none does, or more than one. */
const markAt = (tokens: readonly Token[], source: string): number => {
  const ends = tokens.flatMap((token, at) =>
    /^[!?]$/.test(source[token.end] ?? "") && token.kind === "word" ? [at] : [],
  );
  const [only] = ends;
  return ends.length === 1 && only !== undefined ? only : -1;
};

/**
 * `Write Passw0rd! in Password`, `the Welcome aboard! heading`: the same with quotes around what the mark belongs to,
 * because the sentence goes on behind it; null for anything else.
 */
const withMarkQuoted = (tokens: readonly Token[], source: string): string | null => {
  const at = markAt(tokens, source);
  const last = tokens[at];
  const next = tokens[at + 1];
  if (!last || next?.kind !== "word" || next.text !== next.lower || source[last.end + 1] !== " ")
    return null;
  const from = startOf(tokens, at, next);
  const first = tokens[from];
  if (from < 1 || !first || at - from >= MAX_TEXT) return null;
  const text = source.slice(first.start, last.end + 1);
  if (text.includes('"')) return null;
  const before = source.slice(tokens[0]?.start, first.start);
  return `${before}${quote(text)}${source.slice(last.end + 1, tokens.at(-1)?.end)}`;
};

/** Where the text begins whose last word has the mark; 0 when nobody knows. */
const startOf = (tokens: readonly Token[], at: number, next: Token): number => {
  if (INTO.test(next.lower) && at + 2 < tokens.length) {
    const start = /^(?:i|we|you|user)$/.test(word(tokens[0])) ? 1 : 0;
    const isTyped = TYPING.test(word(tokens[start]));
    const text = tokens.slice(start + 1, at + 1);
    const isOne = text.every(
      ({ kind, text: said, lower }) =>
        (kind === "word" && !/^(?:and|then|or|in|into|to)$/.test(lower) && !NEGATING.test(lower)) ||
        (kind === "mark" && said === ","),
    );
    return isTyped && isOne ? start + 1 : 0;
  }
  if (!NAMED.test(next.lower) || findKind(next.lower) === null) return 0;
  let from = at;
  while (from > 0 && !/^(?:the|a|an)$/.test(word(tokens[from - 1]))) from--;
  const isName = /^\p{Lu}/u.test(tokens[from]?.text ?? "");
  return isName && tokens.slice(from, at + 1).every(({ kind }) => kind === "word") ? from : 0;
};

/** `The link opens in a new tab, i.e. its target attribute is _blank`: what is meant; null for anything else. */
const readMeant = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const at = tokens.findIndex((token) => word(token) === "i.e");
  const way = at > 0 ? meaningThat(tokens, at, source) : null;
  // What is understood by itself may not be left out.
  return way && "unless" in way && !readTexts([way.unless], context)
    ? readTexts(way.said, context)
    : null;
};

/** Reads a sentence of which it is not clear by its marks alone where it ends; null when nothing else tells it. */
export const readDoubtful = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const quoted = withMarkQuoted(tokens, source);
  return (
    (quoted === null ? null : readTexts([quoted], context)) ?? readMeant(tokens, source, context)
  );
};
