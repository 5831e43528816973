import type { Token } from "./words.ts";

/**
 * What must stand in a sentence for it to be said otherwise in some way: most ways need one of a few words or marks
 * that most sentences lack. One look at each word spares all of those ways.
 */
export const HINT = {
  /** `A visitor who …` */
  who: 1,
  /** `the first three …` */
  first: 2,
  /** Between the things of a list. */
  list: 4,
  /** What may divide a sentence. */
  joint: 8,
  comma: 16,
  colon: 32,
  arrow: 64,
  dash: 128,
  /** `As admin: …` */
  as: 256,
  /** Which of two clauses is the first. */
  order: 512,
  by: 1024,
  /** Under which condition: each phrase for it has one of these. */
  condition: 2048,
  after: 4096,
} as const;

const hints = new Map<string, number>();
const put = (words: string, hint: number): void => {
  for (const said of words.split(" ")) hints.set(said, (hints.get(said) ?? 0) | hint);
};
put("who", HINT.who);
put("first", HINT.first);
put(", and &", HINT.list);
put(", ; and then but & -> => → » + - – — > / whereupon finally lastly next followed", HINT.joint);
put(", ;", HINT.comma);
put(":", HINT.colon);
put("-> --> ---> ----> => → » > >> › ▸ ➜ ⇒", HINT.arrow);
put("- – —", HINT.dash);
put("as", HINT.as);
put("before prior after when once upon if on i've we've you've", HINT.order);
put("by", HINT.by);
put("while whilst as when once after upon whenever moment", HINT.condition);
put("after", HINT.after);

/** The hints of a sentence; a text in quotes may give one, too, which spares nothing and costs nothing. */
export const hintsOf = (tokens: readonly Token[]): number => {
  let found = 0;
  for (const { lower } of tokens) found |= hints.get(lower) ?? 0;
  return found;
};
