import type { Token } from "../words.ts";

type Node = { readonly next: Map<string, Node>; readonly classes: number[] };

const node = (): Node => ({ next: new Map(), classes: [] });

/** A class that stands at a token: its number and the token behind it, in turn. */
export type Heads = readonly number[];

const NONE: Heads = [];

/** The words of a language by class. A class is a number; an entry has one or more words. */
export type Vocabulary = {
  readonly size: number;
  /** The number of a class; -1 if there is no such class. */
  idOf(name: string): number;
  /** Adds entries to a class, which is created if it is new. Returns its number. */
  add(name: string, entries: readonly string[]): number;
  /** The classes with an entry that starts at a token. */
  at(tokens: readonly Token[], start: number): Heads;
  has(word: string): boolean;
  /** The words of the vocabulary that are as long as a person may misspell. */
  words(): readonly string[];
};

export const createVocabulary = (): Vocabulary => {
  const root = node();
  const ids = new Map<string, number>();
  const known = new Set<string>();
  const add = (name: string, entries: readonly string[]): number => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    for (const entry of entries) {
      let at = root;
      for (const word of entry.split(/[\s_]+/)) {
        known.add(word);
        const next = at.next.get(word) ?? node();
        at.next.set(word, next);
        at = next;
      }
      if (!at.classes.includes(id)) at.classes.push(id);
    }
    return id;
  };
  return {
    get size() {
      return ids.size;
    },
    idOf: (name) => ids.get(name) ?? -1,
    add,
    at: (tokens, start) => {
      let at: Node | undefined = root;
      let heads: number[] | null = null;
      for (let end = start; end < tokens.length; end++) {
        const token = tokens[end];
        if (token?.kind !== "word" && token?.kind !== "mark") break;
        at = at.next.get(token.lower);
        if (!at) break;
        if (at.classes.length === 0) continue;
        heads ??= [];
        for (const id of at.classes) heads.push(id, end + 1);
      }
      return heads ?? NONE;
    },
    has: (word) => known.has(word),
    words: () => [...known].filter((word) => word.length > 3),
  };
};
