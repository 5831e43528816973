import { wordsOf } from "./consequences.ts";
import { word } from "./phrases.ts";
import type { Token } from "./words.ts";

const ORDER = /(?:^| )in (?:(?:this|that|the \w+) )?(?:order|sequence)$/;
const LOOKING =
  /^(?:is|are|be|see|sees|shows?|appears?|displays?|displayed|shown|listed|visible|exists?|contains?|verify|ensure|confirm|assert|expect|waits?)$/;
const DEED = /^(?:do|done|performs?|performed|executed?|follow|followed|steps?)$/;
const NEGATED = /^(?:not|cannot)$|n['’]t$/;
const OF_ALL = /^(?:both|all|each|every)$/;

/** Why a claim of several is asked about: it says more, or less, than one claim of each. Null for others. */
export const doubtOfSeveral = (tokens: readonly Token[]): string | null => {
  const isOf = (token: Token, at: number): boolean =>
    /^(?:order|sequence)$/.test(word(token)) &&
    (at === tokens.length - 1 || tokens[at + 1]?.kind === "mark") &&
    ORDER.test(wordsOf(tokens.slice(Math.max(0, at - 3), at + 1)));
  const isSome = (token: Token, at: number): boolean =>
    OF_ALL.test(word(token)) &&
    tokens.slice(Math.max(0, at - 2), at).some((before) => NEGATED.test(word(before)));
  const inOrder = tokens.some(isOf) && !tokens.some((token) => DEED.test(word(token)));
  if (!(inOrder || tokens.some(isSome))) return null;
  // What is done in an order is done so anyway, and a text that is typed may say what it likes.
  if (!tokens.some((token) => LOOKING.test(word(token)))) return null;
  // `"A" and "B" are displayed in this order`, `"A" and "B" are not both shown`: one of them may be.
  return inOrder
    ? "Which comes first is not looked at: say what the first and the second are."
    : "It is not clear which of them: say it of each.";
};
