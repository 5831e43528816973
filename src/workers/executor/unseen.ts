/**
 * Soft hyphens and spaces without a width, as a class of a pattern has them. They say where a word may be broken:
 * nobody sees them, nor writes them in a test.
 */
export const UNSEEN = "\\u00ad\\u200b";

/** A text without what nobody sees of it. */
export const withoutUnseen = (text: string): string => text.replace(/[\u00ad\u200b]/g, "");

/** The longest word of a name, in small letters: where it is not, the name is not. */
export const longestWord = (name: string): string =>
  withoutUnseen(name)
    .toLowerCase()
    .split(/\s+/)
    .reduce((best, word) => (word.length > best.length ? word : best), "");

/** A text as a person reads it: without what nobody sees, white space folded. */
export const folded = (text: string): string => withoutUnseen(text).replace(/\s+/g, " ").trim();
