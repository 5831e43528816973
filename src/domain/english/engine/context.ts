import type { Chart } from "./chart.ts";
import type { Grammar } from "./compiled.ts";
import type { VerbMode } from "./pattern.ts";
import type { Draft, Edge, Trace } from "./types.ts";

/** A reading of a sentence up to a position. */
export type State = {
  readonly at: number;
  /** Steps in the order of the sentence. */
  readonly steps: readonly Draft[];
  /** Steps that the sentence says first and that come last: `"Sent" appears after clicking "Send"`. */
  readonly tail: readonly Draft[];
  readonly cost: number;
  readonly doubt: string | null;
  /** The form of the clause before, for elliptical clauses. */
  readonly edge: Edge | null;
  readonly scope: Scope | null;
  readonly mode: VerbMode;
  readonly clauses: number;
  /** The last clause is a text behind an arrow: what follows would make it something else. */
  readonly isOutcome?: boolean;
  readonly trace: readonly Trace[];
};

export type Scope = { readonly place: string; readonly relation: string };

/** The part of a sentence before a clause: who acts, courtesies, a place. */
export type Opening = {
  readonly at: number;
  /** `Maria opens …`: the verb must say that somebody does it. */
  readonly isTold?: true;
  readonly scope: Scope | null;
  readonly isOptional: boolean;
  /** Of the words that are skipped. */
  readonly cost: number;
  readonly trace: readonly Trace[];
};

type Ids = Readonly<Record<(typeof CLASSES)[number], number>>;
const CLASSES = [
  "please",
  "trailing",
  "subject",
  "can",
  "optionally",
  "twice",
  "thrice",
  "times",
  "in",
  "link_and",
  "sep",
  "after",
  "before",
  "that",
  "be_not",
  "not",
  "to_verb",
  "when",
  "slowly",
  "next_to",
  "purpose",
  "verify_that",
] as const;

const known = new WeakMap<Grammar, Ids>();

const idsOf = (grammar: Grammar): Ids => {
  const ids = known.get(grammar);
  if (ids) return ids;
  const found = CLASSES.map((name) => [name, grammar.vocabulary.idOf(name)]);
  const made = Object.fromEntries(found) as Ids;
  known.set(grammar, made);
  return made;
};

/** One sentence: its chart, and what was found about its positions. */
export type Context = {
  readonly grammar: Grammar;
  readonly chart: Chart;
  readonly ids: Ids;
  readonly openings: Map<number, readonly Opening[]>;
  readonly places: Map<number, readonly FoundPlace[]>;
};

export const contextOf = (grammar: Grammar, chart: Chart): Context => ({
  grammar,
  chart,
  ids: idsOf(grammar),
  openings: new Map(),
  places: new Map(),
});

export type FoundPlace = {
  readonly end: number;
  readonly scope: Scope | null;
  readonly trace: Trace;
};

/** The most readings that are followed at one position. */
export const MAX_STATES = 24;

export const traceOf = (
  rule: string,
  from: number,
  to: number,
  slots: Readonly<Record<string, string>> = {},
): Trace => {
  let parts: Trace["parts"] = null;
  for (const [label, text] of Object.entries(slots)) {
    parts = { label, slot: { text, doubt: null, cost: 0 }, edge: null, before: parts };
  }
  return { rule, from, to, parts };
};
