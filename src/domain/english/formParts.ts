import type { SlotName, SlotType } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** A word of a form, in one of its ways. Words are numbers here, as `idsOf` gives them. */
export type Words = {
  /** Longer ones first: "click on" is not "click" and a target that starts with "on". */
  readonly alternatives: readonly (readonly number[])[];
  /** The alternatives in one row, each behind the number of its words: what is read often stands together. */
  readonly row: readonly number[];
  /** A bit for each first word, of which several share one: of most words it tells that none begins with them. */
  readonly firsts: number;
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
  const alternatives = (isOptional ? text.slice(0, -1) : text)
    .split("|")
    .map((words) => words.split("_").map(idOf))
    .sort((a, b) => b.length - a.length);
  const lasts = [...new Set(alternatives.map((words) => words.at(-1) ?? 0))].sort(ascending);
  return {
    alternatives,
    row: alternatives.flatMap((words) => [words.length, ...words]),
    firsts: alternatives.reduce((bits, [first = 0]) => bits | (1 << first), 0),
    isOptional,
    lasts,
    key: lasts.join(" "),
  };
};

/** How many words of a clause a part takes at a place; 0 when they are not there. */
export const wordsAt = ({ row, firsts }: Words, ids: readonly number[], at: number): number => {
  const first = ids[at];
  // Most words of a clause are names, which no form has. Of a number that is shifted by, five bits count.
  if (first === undefined || first === 0 || (firsts & (1 << first)) === 0) return 0;
  for (let from = 0; from < row.length; ) {
    const length = row[from] ?? 0;
    let count = 0;
    while (count < length && ids[at + count] === row[from + 1 + count]) count++;
    if (count === length) return length;
    from += length + 1;
  }
  return 0;
};

/** Puts numbers in order. */
export const ascending = (one: number, other: number): number => one - other;
