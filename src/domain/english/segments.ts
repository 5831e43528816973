import { baseOf, GERUNDS } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import { kindLengthAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

const JOINT = new Set([
  ",",
  ";",
  "whereupon",
  "and",
  "then",
  "but",
  "&",
  "-",
  "–",
  "—",
  "->",
  "=>",
  "→",
  "+",
  "/",
]);

/** A place, a time or a condition that stands first is said of all that follows. */
const REACHING =
  /^(?:in|within|inside|under|on|at|from|for|with|using|if|when|once|after|before|until|till|unless|while|as|without|by|except|instead|either|neither|both|not|don't|never|upon|to|via|per|during|between|since|because|although|though|whenever|among|beneath|below|above)$/;
const STARTING =
  /^(?:the|a|an|i|you|we|he|she|they|user|there|it|its|expect|make|please|also|now|finally|next|should|no)$/;

/** What says in which order, or under which condition. */
export const ORDERING =
  /^(?:after|before|prior|once|when|whenever|upon|until|till|unless|if|while)$/;

/** Told in the passive, a tick may be done or claimed: nobody knows when another deed is told beside it. */
export const TOLD =
  /\b(?:is|are|was|were) (?:ticked|checked|unticked|unchecked|selected|clicked|pressed|filled|set)\b/;

/** What a sentence is divided into at most, and the longest that is divided. */
const MAX_PARTS = 10;
const MAX_TOKENS = 70;

/** A piece of a sentence between two joints. */
type Segment = { readonly from: number; readonly to: number };

/**
 * The pieces of a sentence that may each say something of their own: every one but the first begins like a deed or a
 * claim. Fewer than two when it has no such pieces, or too many.
 */
export const segmentsOf = (tokens: readonly Token[]): readonly Segment[] => {
  if (tokens.length > MAX_TOKENS || REACHING.test(word(tokens[0]))) return [];
  const segments: Segment[] = [];
  let from = 0;
  let at = 1;
  while (at < tokens.length) {
    if (!isJoint(tokens, at)) {
      at++;
      continue;
    }
    let next = at;
    while (isJoint(tokens, next)) next++;
    if (begins(tokens, next)) {
      segments.push({ from, to: at });
      from = next;
    }
    at = next + 1;
  }
  segments.push({ from, to: tokens.length });
  return segments.length > 1 && segments.length <= MAX_PARTS ? segments : [];
};

const isJoint = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  return token !== undefined && !isQuoted(token) && JOINT.has(token.lower);
};

/** Whether a deed, a claim or a place begins with a token; a capital in mid-sentence begins a name. */
const begins = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  if (token === undefined || at + 1 >= tokens.length) return false;
  if (token.kind === "quoted") return !isQuoted(tokens[at + 1]) && !isJoint(tokens, at + 1);
  if (token.kind !== "word") return false;
  // `…, Priority should be "High"`
  if (token.text !== token.lower) return isClaim(tokens, at);
  if (kindLengthAt(tokens, at) > 0 && isClaim(tokens, at)) return true;
  const said = token.lower;
  if (STARTING.test(said) || REACHING.test(said)) return true;
  return (
    baseOf(said) !== null ||
    GERUNDS.has(said) ||
    /^(?:verify|check|ensure|confirm|assert|see|look|rerun|screenshot)$/.test(said)
  );
};

const CLAIMED =
  /^(?:is|are|should|must|has|shows|says|reads|contains|holds|appears|disappears|becomes|stays|equals|displays|opens|closes|isn't|shouldn't)$/;

/** Whether something is claimed of what begins with a token: without an article its verb comes soon. */
const isClaim = (tokens: readonly Token[], at: number): boolean =>
  tokens.slice(at + 1, at + 6).some((token) => CLAIMED.test(word(token)));

/** Whether what a segment begins with reaches to the end of the sentence: it cannot be followed by another. */
export const isReaching = (tokens: readonly Token[], { from }: Segment): boolean =>
  REACHING.test(word(tokens[from]));
