import type { Token } from "../words.ts";

/** A set of classes, one bit for each. */
export type Classes = Uint32Array;

export const hasClass = (set: Classes, id: number): boolean =>
  ((set[id >> 5] ?? 0) & (1 << (id & 31))) !== 0;

export const hasAny = (set: Classes, ids: readonly number[]): boolean => {
  for (const id of ids) if (hasClass(set, id)) return true;
  return false;
};

export const doMeet = (one: Classes, other: Classes): boolean => {
  for (let at = 0; at < one.length; at++)
    if (((one[at] ?? 0) & (other[at] ?? 0)) !== 0) return true;
  return false;
};

export const addClass = (to: Classes, id: number): void => {
  to[id >> 5] = (to[id >> 5] ?? 0) | (1 << (id & 31));
};

export const addAll = (to: Classes, from: Classes): void => {
  for (let at = 0; at < to.length; at++) to[at] = (to[at] ?? 0) | (from[at] ?? 0);
};

/** A word of the vocabulary behind the words before it, with the classes whose entry ends here. */
export type WordNode = {
  readonly id: number;
  readonly next: Map<string, WordNode>;
  readonly ids: number[];
  /** Of `ids`; made when the vocabulary is complete. */
  classes: Classes | null;
};

/** An entry that starts at a token: its classes, and the token behind it. */
export type Head = { readonly node: WordNode; readonly classes: Classes; readonly end: number };

const NONE: readonly Head[] = [];

/** The words of a language by class. A class is a number; an entry has one or more words. */
export type Vocabulary = {
  readonly size: number;
  /** The number of a class; -1 if there is no such class. */
  idOf(name: string): number;
  /** Adds entries to a class, which is created if it is new. Returns its number. */
  add(name: string, entries: readonly string[]): number;
  /** No classes yet: a set to be filled. */
  emptySet(): Classes;
  /** The entries that start at a token. */
  at(tokens: readonly Token[], start: number): readonly Head[];
};

export const createVocabulary = (): Vocabulary => {
  let count = 0;
  const node = (): WordNode => ({ id: count++, next: new Map(), ids: [], classes: null });
  const root = node();
  const ids = new Map<string, number>();
  const emptySet = (): Classes => new Uint32Array((ids.size + 31) >> 5);
  const classesOf = (at: WordNode): Classes => {
    if (at.classes) return at.classes;
    const set = emptySet();
    for (const id of at.ids) addClass(set, id);
    at.classes = set;
    return set;
  };
  const add = (name: string, entries: readonly string[]): number => {
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    for (const entry of entries) {
      let at = root;
      for (const word of entry.split(/[ _]/)) {
        let next = at.next.get(word);
        if (!next) {
          next = node();
          at.next.set(word, next);
        }
        at = next;
      }
      if (!at.ids.includes(id)) at.ids.push(id);
    }
    return id;
  };
  return {
    get size() {
      return ids.size;
    },
    emptySet,
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
        if (at.ids.length === 0) continue;
        heads ??= [];
        heads.push({ node: at, classes: classesOf(at), end: end + 1 });
      }
      return heads ?? NONE;
    },
  };
};
