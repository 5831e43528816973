import { baseOf } from "./inflections.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const MAX_PURPOSE = 24;
/** What a sentence goes on with behind what it is done for, besides a deed. */
const GOES_ON =
  /^(?:in|from|on|under|at|for|within|next|beside|simply|just|please|you|we|first|i|the|then|also|users?)$/;

/** Whether what is done begins with a token; `To add, edit, or delete users, …` only goes on listing. */
const goesOn = (tokens: readonly Token[], at: number): boolean => {
  const token = tokens[at];
  const next = tokens[at + 1];
  if (token?.kind !== "word" || !next || next.kind === "mark" || word(next) === "or") return false;
  const isSmall = token.text === token.lower;
  return isSmall && (baseOf(token.lower) !== null || GOES_ON.test(token.lower));
};

/** `To see the full history, click "All"`: what stands behind what it is done for; the same when it begins otherwise. */
export const behindPurpose = (tokens: readonly Token[]): readonly Token[] => {
  if (word(tokens[0]) !== "to" && !isInOrder(tokens)) return tokens;
  const verb = tokens[isInOrder(tokens) ? 3 : 1];
  if (verb?.kind !== "word" || verb.text !== verb.lower || /^(?:the|an?)$/.test(verb.lower)) {
    return tokens;
  }
  for (let at = 2; at < Math.min(tokens.length - 2, MAX_PURPOSE); at++) {
    const token = tokens[at];
    if (token?.kind !== "mark" && !isQuoted(token)) continue;
    if (token?.text === "," && token.kind === "mark" && goesOn(tokens, at + 1)) {
      return tokens.slice(at + 1);
    }
    if (token?.kind === "mark" && token.text !== ",") return tokens;
  }
  return tokens;
};

const isInOrder = (tokens: readonly Token[]): boolean =>
  word(tokens[0]) === "in" && word(tokens[1]) === "order" && word(tokens[2]) === "to";

const PATH = /\*\*([^*>]{1,60}(?:\s+(?:>|→|›|»)\s+[^*>]{1,60}){1,5})\*\*/g;

/** `Click **File > Save as**`: a path that is printed bold in whole, entry by entry; null when there is none. */
export const boldPaths = (text: string): string | null => {
  if (!text.includes("**") || !/\s(?:>|→|›|»)\s/.test(text)) return null;
  const said = text.replace(PATH, (_, path: string) =>
    path
      .split(/\s+(?:>|→|›|»)\s+/)
      .map((name) => `**${name.trim()}**`)
      .join(" > "),
  );
  return said === text ? null : said;
};
