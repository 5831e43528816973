import type { Token } from "../words.ts";

/** A word of the vocabulary behind the words before it, with the classes whose entry ends here. */
export type WordNode = {
  readonly id: number;
  readonly next: Map<string, WordNode>;
  readonly classes: Set<number>;
};

/** An entry that starts at a token: its classes, and the token behind it. */
export type Head = { readonly node: WordNode; readonly end: number };

const NONE: readonly Head[] = [];

/** The words of a language by class. A class is a number; an entry has one or more words. */
export type Vocabulary = {
  readonly size: number;
  /** The number of a class; -1 if there is no such class. */
  idOf(name: string): number;
  /** Adds entries to a class, which is created if it is new. Returns its number. */
  add(name: string, entries: readonly string[]): number;
  /** The entries of a class. */
  entriesOf(id: number): readonly string[];
  /** The entries that start at a token. */
  at(tokens: readonly Token[], start: number): readonly Head[];
  has(word: string): boolean;
  /** The words of the vocabulary that are as long as a person may misspell. */
  words(): readonly string[];
};

export const createVocabulary = (): Vocabulary => {
  let count = 0;
  const node = (): WordNode => ({ id: count++, next: new Map(), classes: new Set() });
  const root = node();
  const ids = new Map<string, number>();
  const entriesById: string[][] = [];
  const known = new Set<string>();
  const add = (name: string, entries: readonly string[]): number => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    entriesById[id] = [...(entriesById[id] ?? []), ...entries];
    for (const entry of entries) {
      let at = root;
      for (const word of entry.split(/[\s_]+/)) {
        known.add(word);
        const next = at.next.get(word) ?? node();
        at.next.set(word, next);
        at = next;
      }
      at.classes.add(id);
    }
    return id;
  };
  return {
    get size() {
      return ids.size;
    },
    entriesOf: (id) => entriesById[id] ?? [],
    idOf: (name) => ids.get(name) ?? -1,
    add,
    at: (tokens, start) => {
      let at: WordNode | undefined = root;
      let heads: Head[] | null = null;
      for (let end = start; end < tokens.length; end++) {
        const token = tokens[end];
        if (token?.kind !== "word" && token?.kind !== "mark") break;
        at = at.next.get(token.lower);
        if (!at) break;
        if (at.classes.size === 0) continue;
        heads ??= [];
        heads.push({ node: at, end: end + 1 });
      }
      return heads ?? NONE;
    },
    has: (word) => known.has(word),
    words: () => [...known].filter((word) => word.length > 3),
  };
};
