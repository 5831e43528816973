import type { Clause } from "./clauses.ts";
import { type Previous, readElliptical } from "./elliptical.ts";
import { keyAfterKey } from "./keysAfter.ts";
import { spoken, word } from "./phrases.ts";
import { typedIntoTheSame, withPronoun } from "./pronouns.ts";
import { type Reader, readerOf } from "./reader.ts";
import { type Context, MAX_CLAUSE_WORDS } from "./search.ts";
import { type Read, withRepeats } from "./variants.ts";
import { type Token, tokenize } from "./words.ts";

/** Reads one clause; what it leaves unsaid may stand in the one before. */
export const readClause = (
  clause: Clause,
  reader: Reader,
  context: Context,
  previous: Previous | null,
): Read => {
  if (clause.tokens.length === 0)
    return { kind: "doubt", message: "Something is missing at its end.", firm: true };
  if (clause.tokens.length > MAX_CLAUSE_WORDS) {
    return {
      kind: "doubt",
      message: "Too long for one instruction: quote the texts in it.",
      firm: true,
    };
  }
  const ofPage = previous && PAGED.test(previous.draft.action) ? saidOfPage(clause.tokens) : null;
  if (ofPage) return withRepeats(ofPage, readerOf(reader.source), context);
  const into = previous && typedIntoTheSame(clause, previous.draft);
  if (into) return into;
  const key = previous && keyAfterKey(clause.tokens, previous.draft);
  if (key) return key;
  const meant = previous && withPronoun(clause.tokens, previous.draft, reader.source);
  if (meant) {
    const { tokens } = tokenize(meant);
    const read = withRepeats(tokens, readerOf(meant), context);
    if (read.kind === "step") {
      return { kind: "step", draft: read.draft, lead: [], times: read.times };
    }
  }
  const own = withRepeats(clause.tokens, reader, context);
  if (own.kind === "step" || (own.kind === "doubt" && own.firm)) return own;
  const shared =
    previous &&
    previous.tokens.length > 0 &&
    readElliptical(clause, readerOf(reader.source), context, previous);
  return shared || own;
};

const PAGED = /^(?:switch_tab|navigate|reload|go_back|go_forward)$/;

/** `… and check its title is "A"`, `… and reload it`, behind the page that one went to; null for anything else. */
const saidOfPage = (tokens: readonly Token[]): readonly Token[] | null => {
  const its = tokens.findIndex((token) => word(token) === "its");
  if (its >= 0 && its < 4 && /^(?:title|url|address)$/.test(word(tokens[its + 1]))) {
    return [...tokens.slice(0, its), spoken("the"), ...tokens.slice(its + 1)];
  }
  const isAgain = tokens.length === 2 && word(tokens[1]) === "it";
  return isAgain && /^(?:reload|refresh)$/.test(word(tokens[0])) ? tokens.slice(0, 1) : null;
};
