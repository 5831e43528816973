import { JOINTS } from "./clauses.ts";
import { CUE } from "./cueBits.ts";
import { CUES } from "./rewrite.ts";
import { JOINING } from "./search.ts";
import { MEANT } from "./typos.ts";
import { VARIED } from "./variants.ts";
import { TIMES, WORDED } from "./wordings.ts";
import type { Token } from "./words.ts";

const lexicon = new Map<string, number>();

const add = (words: Iterable<string>, bit: number): void => {
  for (const word of words) lexicon.set(word, (lexicon.get(word) ?? 0) | bit);
};

add(MEANT.keys(), CUE.typo);
add(["//", "#"], CUE.comment);
add(JOINTS, CUE.joint);
add(JOINING, CUE.whole);
add(["optional", "optionally"], CUE.optional);
add([...TIMES.keys(), "times", "pages", "steps", "screens"], CUE.repeat);
add(VARIED, CUE.variant);
add(WORDED, CUE.variant);
add(["to"], CUE.purpose);
add(CUES.keys(), CUE.rewrite);
add(["that", "this", "same"], CUE.mention);

/** What is longer, as many a text in quotes, is no word with a cue. */
const LONGEST = Math.max(...Array.from(lexicon.keys(), (word) => word.length));

/**
 * The cues of all tokens together. A cue that is not there is certain for every part of them, too; one that is
 * there only says that it is worth a look.
 */
export const cuesOf = (tokens: readonly Token[]): number => {
  let cues = 0;
  for (const { kind, lower } of tokens) {
    if (kind === "mark") cues |= CUE.mark | CUE.joint;
    const known = lower.length > LONGEST ? 0 : (lexicon.get(lower) ?? 0);
    cues |= known | shapeOf(lower);
  }
  return cues;
};

/** What a word tells by how it looks: `x3` and `3x` say how often, `Ann's` whose it is. */
const shapeOf = (lower: string): number => {
  const last = lower.charCodeAt(lower.length - 1);
  if (last === S) return lower.endsWith("'s") ? CUE.rewrite : 0;
  const isTimes = last === X || lower.charCodeAt(0) === X;
  return isTimes && /\d/.test(lower) ? CUE.repeat : 0;
};

const S = 115;
const X = 120;
