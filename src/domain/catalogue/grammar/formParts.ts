import type { Token } from "../words.ts";
import type { SlotName, SlotType } from "./slotTypes.ts";

/** A word of a form, in one of its ways. Words are numbers here, as `idsOf` gives them. */
export type Words = {
  /** The alternatives by their first word, longer ones first: "click on" is not "click" and a target that starts with "on". */
  readonly byFirst: ReadonlyMap<number, readonly (readonly number[])[]>;
  readonly isOptional: boolean;
  /** The last words of the alternatives, each once, in order; and the same as a text. */
  readonly lasts: readonly number[];
  readonly key: string;
};

/** What a form is made of: words and slots. */
export type Part = Words | { readonly slot: SlotName; readonly type: SlotType };

/** Every word of a form by its number, from 1. It grows with the forms alone, not with what people write. */
const ids = new Map<string, number>();

const idOf = (word: string): number => {
  const known = ids.get(word);
  if (known !== undefined) return known;
  ids.set(word, ids.size + 1);
  return ids.size;
};

/** How many words the forms that have been compiled have. */
export const wordCount = (): number => ids.size;

/** The words of a clause as numbers: looked up once, then compared as often as forms are tried. 0 for what no form has. */
export const idsOf = (tokens: readonly Token[]): readonly number[] => {
  const said: number[] = [];
  for (const { kind, lower } of tokens) {
    const isSaid = kind === "word" || kind === "mark";
    said.push(isSaid ? (ids.get(lower) ?? 0) : 0);
  }
  return said;
};

const parts = new Map<string, Part>();

/** Many forms share their parts: `the|a|my|your?`. */
export const compilePart = (text: string): Part => {
  const known = parts.get(text);
  if (known) return known;
  const slot = /^\{(\w+):(\w+)\}$/.exec(text);
  const part: Part = slot
    ? { slot: slot[1] as SlotName, type: slot[2] as SlotType }
    : compileWords(text);
  parts.set(text, part);
  return part;
};

const compileWords = (text: string): Words => {
  const isOptional = text.endsWith("?");
  const byFirst = new Map<number, number[][]>();
  const lasts = new Set<number>();
  for (const alternative of (isOptional ? text.slice(0, -1) : text).split("|")) {
    const words = alternative.split("_").map(idOf);
    const [first = 0] = words;
    const known = byFirst.get(first);
    if (known) known.push(words);
    else byFirst.set(first, [words]);
    lasts.add(words.at(-1) ?? 0);
  }
  for (const known of byFirst.values()) known.sort((a, b) => b.length - a.length);
  const sorted = [...lasts].sort(ascending);
  return { byFirst, isOptional, lasts: sorted, key: sorted.join(" ") };
};

/** How many words of a clause a part takes at a place; 0 when they are not there. */
export const wordsAt = ({ byFirst }: Words, ids: readonly number[], at: number): number => {
  const first = ids[at];
  // Most words of a clause are names, which no form has.
  if (first === undefined || first === 0) return 0;
  const alternatives = byFirst.get(first);
  if (alternatives === undefined) return 0;
  for (const words of alternatives) {
    let count = 1;
    while (count < words.length && ids[at + count] === words[count]) count++;
    if (count === words.length) return count;
  }
  return 0;
};

/** Puts numbers in order. */
export const ascending = (one: number, other: number): number => one - other;
