import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** A piece of a sentence, and what joins it to the one before. */
export type Piece = { readonly tokens: readonly Token[]; readonly joint: string };

const JOINT = new Set(
  ", ; and then but & -> => → » + - – — > finally lastly next followed".split(" "),
);
const ORDER = /^(?:finally|lastly|next)$/;

const MAX_PIECES = 10;
const MAX_TOKENS = 60;

/** With one of these it is not known what happens, or to which part a word is said. */
const OPEN = new Set(
  "if unless whether either or otherwise except repeat repeatedly optional optionally each every instead neither nor unlike without".split(
    " ",
  ),
);

const isJointAt = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  // `/cart: …`, `then: …`
  if (token?.kind === "mark" && token.text === ":") {
    const isAddress = tokens
      .slice(Math.max(0, at - 2), at)
      .some(({ text }) => /^(?:https?:\/\/|\/)\S*$/i.test(text));
    return isAddress || word(tokens[at - 1]) === "then";
  }
  if (token === undefined || isQuoted(token) || !JOINT.has(token.lower)) return false;
  // What begins with a capital in mid-sentence is a name; `first name, next name` are names as well.
  if (token.kind === "word" && token.text !== token.lower) return false;
  if (token.lower === "followed") return word(tokens[at + 1]) === "by";
  return !ORDER.test(token.lower) || isBehindJoint(tokens, at) || at === 0;
};

const isBehindJoint = (tokens: readonly Token[], at: number): boolean =>
  at > 0 && isJointAt(tokens, at - 1) && isQuoted(tokens[at + 1]);

/** The pieces of a sentence between all that may join them; none where there is but one, or too many. */
export const piecesOf = (tokens: readonly Token[]): readonly Piece[] => {
  if (tokens.length > MAX_TOKENS || tokens.some((token) => OPEN.has(word(token)))) return [];
  const pieces: Piece[] = [];
  let from = 0;
  let depth = 0;
  let joint = "";
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind === "mark" && token.text === "(") depth++;
    if (token?.kind === "mark" && token.text === ")") depth--;
    if (at < tokens.length && (depth > 0 || !isJointAt(tokens, at))) continue;
    if (at > from) {
      pieces.push({ tokens: tokens.slice(from, at), joint });
      joint = "";
    }
    if (token) joint = joint === "" || token.lower !== "," ? token.lower : joint;
    if (token?.lower === "followed") at++;
    from = at + 1;
  }
  return pieces.length > 1 && pieces.length <= MAX_PIECES ? pieces : [];
};
