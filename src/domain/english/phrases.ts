import type { Token } from "./words.ts";

/** A word in lower case; empty for anything else. */
export const word = (token: Token | undefined): string =>
  token?.kind === "word" ? token.lower : "";

/** Whether a token is a text that says itself where it ends. */
export const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal" || token?.kind === "selector";

/** Words that only join; the soft ones may as well start a name. */
export const HARD_CONNECTORS = new Set([
  ...[
    "then",
    "please",
    "afterwards",
    "afterward",
    "and",
    "just",
    "simply",
    "subsequently",
    "kindly",
  ],
]);
export const SOFT_CONNECTORS = new Set([
  "now",
  "next",
  "finally",
  "also",
  "first",
  "lastly",
  "secondly",
  "initially",
  "eventually",
  "again",
]);

/** A word that nobody has written. */
export const spoken = (text: string): Token => ({
  kind: "word",
  text,
  lower: text,
  start: 0,
  end: 0,
});

/** Who acts. */
export const SUBJECTS = new Set(["i", "we", "you", "they", "he", "she"]);
export const PERSONS = new Set([
  "user",
  "customer",
  "visitor",
  "tester",
  "admin",
  "member",
  "client",
  "guest",
  "buyer",
  "shopper",
  "administrator",
  "manager",
  "editor",
  "agent",
  "student",
  "reader",
  "owner",
  "employee",
]);
const ADVERBS = new Set(["then", "also", "now", "next", "will", "finally", "can", "again", "just"]);

const WISHES = new Set(["want", "wants", "need", "needs"]);

/** `will click`, `want to click` → `click`. */
export const withoutAdverb = (tokens: readonly Token[]): readonly Token[] => {
  const bare = ADVERBS.has(word(tokens[0])) ? tokens.slice(1) : tokens;
  // `I want to wait 2 seconds`
  const isWish = WISHES.has(word(bare[0])) && word(bare[1]) === "to";
  return isWish && bare.length > 2 ? bare.slice(2) : bare;
};
