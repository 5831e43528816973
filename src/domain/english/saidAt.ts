import type { Token } from "./words.ts";

/** Phrases by their first word, in the order in which they are given: most words begin none. */
export const byFirstWord = <Phrase>(
  phrases: readonly Phrase[],
  wordsOf: (phrase: Phrase) => readonly string[],
): ReadonlyMap<string, readonly Phrase[]> => {
  const known = new Map<string, Phrase[]>();
  for (const phrase of phrases) {
    const first = wordsOf(phrase)[0] ?? "";
    const others = known.get(first);
    if (others) others.push(phrase);
    else known.set(first, [phrase]);
  }
  return known;
};

/** Whether the words of a phrase stand at a place, of which its first is known to stand there. */
export const goesOnAt = (
  tokens: readonly Token[],
  at: number,
  words: readonly string[],
): boolean => {
  for (let index = 1; index < words.length; index++) {
    const token = tokens[at + index];
    if (token === undefined || token.kind !== "word" || token.lower !== words[index]) return false;
  }
  return true;
};

const NONE: readonly never[] = [];

/** The phrases that begin with the word at a place. */
export const beginningAt = <Phrase>(
  known: ReadonlyMap<string, readonly Phrase[]>,
  tokens: readonly Token[],
  at: number,
): readonly Phrase[] => {
  const token = tokens[at];
  return (token?.kind === "word" ? known.get(token.lower) : undefined) ?? NONE;
};

/** How many words the first of some phrases has that stands at a place; 0 when none does. */
export const lengthAt = (
  known: ReadonlyMap<string, readonly (readonly string[])[]>,
  tokens: readonly Token[],
  at: number,
): number => {
  for (const words of beginningAt(known, tokens, at)) {
    if (goesOnAt(tokens, at, words)) return words.length;
  }
  return 0;
};
