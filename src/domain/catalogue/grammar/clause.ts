import { tokenize } from "../words.ts";
import type { Clause } from "./clauses.ts";
import { type Previous, readElliptical } from "./elliptical.ts";
import { keyAfterKey } from "./keysAfter.ts";
import { typedIntoTheSame, withPronoun } from "./pronouns.ts";
import { type Reader, readerOf } from "./reader.ts";
import { type Context, MAX_CLAUSE_WORDS } from "./search.ts";
import { type Read, withRepeats } from "./variants.ts";

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
