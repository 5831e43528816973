import { parseTarget, readTarget, type Target } from "../target.ts";
import { isSameTarget } from "../targetParts.ts";
import type { Token } from "../words.ts";
import { ARTICLE, type Slot, slot } from "./slotTypes.ts";

/** With one of these in it, or at its end, a phrase is more than a target, or not yet one. */
const AUXILIARY = new Set(["should", "shouldn't", "must", "mustn't"]);
const UNFINISHED = new Set(
  "to the a an of not no is are be will do does has have can longer that".split(" "),
);

/** Finds the shortest text that means the same target: the person's words, without article and needless quotes. */
export const readTargetSlot = (tokens: readonly Token[], source: string): Slot | null => {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return null;
  const isClaim = tokens.some(({ kind, lower }) => kind === "word" && AUXILIARY.has(lower));
  if (isClaim || (last.kind === "word" && UNFINISHED.has(last.lower))) return null;
  const reading = readTarget(tokens, source);
  if (!reading) return null;
  const isQuoted = tokens.some(({ kind }) => kind !== "word");
  if (tokens.length === 1 && first.kind === "literal") {
    // Taken as it is: whether its kind suits the sentence is not asked.
    const doubt = first.text.trim() === "" ? "The name is empty." : null;
    return { ...slot(first.text, doubt, true), isLiteral: true };
  }
  const { target } = reading;
  const start = first.kind === "word" && ARTICLE.test(first.lower) ? (tokens[1] ?? first) : first;
  const written = source.slice(start.start, last.end).replace(NOISE, "");
  return lazily({ target, isQuoted, written, doubt: reading.doubt, known: undefined });
};

type Lazy = {
  readonly target: Target;
  readonly isQuoted: boolean;
  readonly written: string;
  readonly doubt: string | null;
  /** The shortest text, once it has been asked for: only that of the reading that counts is. */
  known: string | null | undefined;
};

const shortestOnce = (lazy: Lazy): string | null => {
  if (lazy.known === undefined) {
    lazy.known = lazy.isQuoted ? shortest(lazy.target, lazy.written) : lazy.written;
  }
  return lazy.known;
};

const lazily = (lazy: Lazy): Slot => ({
  get text() {
    return shortestOnce(lazy) ?? lazy.written;
  },
  get doubt() {
    if (lazy.doubt !== null || shortestOnce(lazy) !== null) return lazy.doubt;
    return "A selector cannot be narrowed down in words.";
  },
  isFirm: false,
  isQuoted: lazy.isQuoted,
  target: lazy.target,
});

const NOISE = / +(?:on|in|at) the (?:page|screen)$/i;

/** The name without its quotes, or what was written, if that is read as the same target; else null. */
const shortest = (target: Target, written: string): string | null => {
  const candidates = target.find.by === "name" ? [target.find.name, written] : [written];
  return candidates.find((text) => isSameTarget(parseTarget(text), target)) ?? null;
};
