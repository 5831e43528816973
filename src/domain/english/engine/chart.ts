import type { Token } from "../words.ts";
import type { CompiledForm, Grammar } from "./compiled.ts";
import { type FormSymbol, MODES, type VerbMode } from "./pattern.ts";
import { formsAt, startsOf } from "./starts.ts";
import type { Draft, Edge, Mood, Part, SlotReading } from "./types.ts";
import {
  addAll,
  type Classes,
  doMeet,
  type Head,
  hasAny,
  hasClass,
  type Vocabulary,
} from "./vocabulary.ts";

/** The table of partial readings of one sentence. Entries are computed once, when they are first asked for. */
export type Chart = {
  readonly tokens: readonly Token[];
  readonly source: string;
  /** The positions behind the words of a class that start at a position. */
  ends(id: number, at: number): readonly number[];
  /** Whether the vocabulary has a word that starts at a position. */
  isKnown(at: number): boolean;
  derive(phrase: string, at: number, mode: VerbMode): readonly Edge[];
  /** Matches one form at a position. */
  match(form: CompiledForm, at: number, mode: VerbMode): readonly Edge[];
  slot(name: string, from: number, to: number): SlotReading | null;
  /** The furthest position that any form has reached. */
  reached(): number;
};

/** The readings of a form's symbols so far. */
type Bound = { readonly part: Part | null; readonly cost: number; readonly doubt: string | null };

const NOTHING: Bound = { part: null, cost: 0, doubt: null };
const NO_EDGES: readonly Edge[] = [];
const NO_HEADS: readonly Head[] = [];
const NO_ENDS: readonly number[] = [];
/** The longest span of a slot, in tokens. */
const MAX_SPAN = 40;

const bind = (bound: Bound, label: string, slot: SlotReading | null, edge: Edge | null): Bound => ({
  part: { label, slot, edge, before: bound.part },
  cost: bound.cost + (slot?.cost ?? 0) + (edge?.cost ?? 0),
  doubt: bound.doubt ?? slot?.doubt ?? edge?.doubt ?? null,
});

const isSameEdge = (one: Edge, other: Edge): boolean =>
  one.end === other.end &&
  one.doubt === other.doubt &&
  one.steps.length === other.steps.length &&
  one.steps.every((step, at) => {
    const its = other.steps[at];
    return step.action === its?.action && step.target === its.target && step.value === its.value;
  }) &&
  (one.again === other.again || one.again.join() === other.again.join());

/** Adds an edge, of equal ones the cheapest. */
const addEdge = (edges: Edge[], edge: Edge): void => {
  const at = edges.findIndex((known) => isSameEdge(known, edge));
  if (at < 0) edges.push(edge);
  else if ((edges[at]?.cost ?? 0) > edge.cost) edges[at] = edge;
};

const isOpen = (form: CompiledForm, { part }: Bound): boolean => {
  const last = form.symbols.at(-1);
  if (last?.kind === "slot") return true;
  return last?.kind === "phrase" && part?.edge?.isOpen === true;
};

const finished = (form: CompiledForm, from: number, end: number, bound: Bound): Edge => {
  const slots: Record<string, SlotReading> = {};
  const inner: Record<string, readonly Draft[]> = {};
  let again = form.again;
  let isLast = true;
  for (let part = bound.part; part; part = part.before) {
    if (part.slot) slots[part.label] ??= part.slot;
    if (part.edge) {
      inner[part.label] ??= part.edge.steps;
      // The last phrase inside may be continued, too.
      if (isLast && part.edge.again.length > 0) again = [...form.again, ...part.edge.again];
      isLast = false;
    }
  }
  return {
    end,
    steps: form.steps(slots, inner),
    doubt: bound.doubt,
    cost: bound.cost + (form.rule.cost ?? 0),
    isOpen: isOpen(form, bound),
    again,
    trace: { rule: form.name, from, to: end, parts: bound.part },
  };
};

/** The classes that start at each position. */
const classesAt = (vocabulary: Vocabulary, heads: readonly (readonly Head[])[]): Classes[] => {
  const none = vocabulary.emptySet();
  return heads.map((found) => {
    const [first] = found;
    if (!first) return none;
    if (found.length === 1) return first.classes;
    const all = vocabulary.emptySet();
    for (const { classes } of found) addAll(all, classes);
    return all;
  });
};

/** The classes that start at each position or behind it. */
const classesBehind = (vocabulary: Vocabulary, classes: readonly Classes[]): Classes[] => {
  const behind: Classes[] = [];
  let last = vocabulary.emptySet();
  for (let at = classes.length - 1; at >= 0; at--) {
    last = last.slice();
    addAll(last, classes[at] ?? last);
    behind[at] = last;
  }
  return behind;
};

/** Creates the chart of a sentence below a keyword. */
export const createChart = (
  grammar: Grammar,
  tokens: readonly Token[],
  source: string,
  mood: Mood | null,
): Chart => {
  const count = tokens.length;
  const heads = tokens.map((_, at) => grammar.vocabulary.at(tokens, at));
  const classes = classesAt(grammar.vocabulary, heads);
  const behind = classesBehind(grammar.vocabulary, classes);
  const alive = new Map<number, readonly CompiledForm[]>();
  /** Whether a row can end in front of a token: behind it stands a mark, a number, or what can follow it. */
  const canEnd = (form: CompiledForm, at: number): boolean => {
    const token = tokens[at];
    const here = classes[at];
    if (!token || !here) return at === count;
    const { follow } = form.of;
    return (
      token.kind === "mark" || follow === null || doMeet(follow, here) || /^\d/.test(token.text)
    );
  };
  const readings = new Map<number, SlotReading | null>();
  const table = new Map<number, readonly Edge[]>();
  let furthest = 0;

  const readSlot = (index: number, from: number, to: number): SlotReading | null => {
    const key = (index * 256 + from) * 256 + to;
    const known = readings.get(key);
    if (known !== undefined) return known;
    const reader = grammar.slots[index];
    const found = reader ? reader(tokens, from, to, source) : null;
    readings.set(key, found);
    return found;
  };

  /** Whether the symbols of a form from one on can begin at a position. */
  const canStart = (form: CompiledForm, index: number, at: number, mode: VerbMode): boolean => {
    const symbol = form.symbols[index];
    if (!symbol) return canEnd(form, at);
    if (at >= count && symbol.kind !== "words") return false;
    switch (symbol.kind) {
      case "words": {
        const here = classes[at];
        if (here && hasAny(here, symbol.ids[mode])) return true;
        return symbol.optional && canStart(form, index + 1, at, mode);
      }
      case "slot": {
        const reader = grammar.slots[symbol.slot];
        const token = tokens[at];
        return reader?.most !== 1 || !reader.last || (token !== undefined && reader.last(token));
      }
      case "phrase":
        return deriveId(symbol.id, at, symbol.mode ?? mode).length > 0;
      default: {
        const unknown: never = symbol;
        return unknown;
      }
    }
  };

  const walkSlot = (walk: Walk, index: number, at: number, bound: Bound, symbol: Slot): void => {
    const { form, mode } = walk;
    const reader = grammar.slots[symbol.slot];
    const most = Math.min(count, at + (reader?.most ?? MAX_SPAN));
    for (let end = at + 1; end <= most; end++) {
      const last = tokens[end - 1];
      if (reader?.last && last && !reader.last(last)) continue;
      if (!canStart(form, index + 1, end, mode)) continue;
      const found = readSlot(symbol.slot, at, end);
      if (found) step(walk, index + 1, end, bind(bound, symbol.label, found, null));
    }
  };

  const walkWords = (walk: Walk, index: number, at: number, bound: Bound, symbol: Words): void => {
    const ids = symbol.ids[walk.mode];
    for (const head of heads[at] ?? NO_HEADS) {
      if (hasAny(head.classes, ids)) step(walk, index + 1, head.end, bound);
    }
  };

  const step = (walk: Walk, index: number, at: number, bound: Bound): void => {
    if (at > furthest) furthest = at;
    const symbol = walk.form.symbols[index];
    if (!symbol) {
      addEdge(walk.out, finished(walk.form, walk.from, at, bound));
      return;
    }
    switch (symbol.kind) {
      case "words":
        if (symbol.optional) step(walk, index + 1, at, bound);
        walkWords(walk, index, at, bound, symbol);
        return;
      case "slot":
        walkSlot(walk, index, at, bound, symbol);
        return;
      case "phrase":
        for (const edge of deriveId(symbol.id, at, symbol.mode ?? walk.mode)) {
          step(walk, index + 1, edge.end, bind(bound, symbol.label, null, edge));
        }
        return;
      default: {
        const unknown: never = symbol;
        void unknown;
      }
    }
  };

  /** Whether the words of a row, and words that start its phrases, stand behind a position. */
  const mayMatch = ({ needs }: CompiledForm, at: number, mode: VerbMode): boolean => {
    for (const { symbol, behind: by } of needs) {
      const rest = behind[at + by];
      if (!rest) return false;
      if (symbol.kind === "words") {
        if (!hasAny(rest, symbol.ids[mode])) return false;
        continue;
      }
      const phrase = grammar.phrases[symbol.id];
      const first = phrase && startsOf(grammar, phrase, symbol.mode ?? mode).first;
      if (first && !doMeet(first, rest)) return false;
    }
    return true;
  };

  const isAllowed = ({ rule }: CompiledForm): boolean =>
    rule.moods === undefined || rule.moods.includes(mood ?? "none");

  const start = (form: CompiledForm, at: number, mode: VerbMode, out: Edge[]): void => {
    if (isAllowed(form) && mayMatch(form, at, mode))
      step({ form, from: at, mode, out }, 0, at, NOTHING);
  };

  /** The rows that start with a slot and whose words stand in the sentence. */
  const openForms = (
    key: number,
    forms: readonly CompiledForm[],
    mode: VerbMode,
  ): readonly CompiledForm[] => {
    const known = alive.get(key);
    if (known) return known;
    const found = forms.filter((form) => isAllowed(form) && mayMatch(form, 0, mode));
    alive.set(key, found);
    return found;
  };

  const match = (form: CompiledForm, at: number, mode: VerbMode): readonly Edge[] => {
    const out: Edge[] = [];
    start(form, at, mode, out);
    return out;
  };

  const deriveId = (phrase: number, at: number, mode: VerbMode): readonly Edge[] => {
    const forms = grammar.phrases[phrase];
    const here = classes[at];
    if (!forms || !here) return NO_EDGES;
    const starts = startsOf(grammar, forms, mode);
    if (starts.first !== null && !doMeet(starts.first, here)) return NO_EDGES;
    const kind = phrase * MODES.length + MODES.indexOf(mode);
    const key = kind * 256 + at;
    const known = table.get(key);
    if (known) return known;
    // A phrase that contains itself at the same place has no further reading.
    table.set(key, NO_EDGES);
    const out: Edge[] = [];
    const found = heads[at] ?? NO_HEADS;
    found.forEach((head, index) => {
      for (const form of formsAt(starts, head)) {
        const isTried =
          index > 0 && found.slice(0, index).some((each) => formsAt(starts, each).includes(form));
        if (!isTried) start(form, at, mode, out);
      }
    });
    for (const form of openForms(kind, starts.open, mode)) start(form, at, mode, out);
    table.set(key, out);
    return out;
  };

  return {
    tokens,
    source,
    ends: (id, at) => {
      let all: number[] | null = null;
      const here = classes[at];
      if (!here || !hasClass(here, id)) return NO_ENDS;
      for (const { classes: its, end } of heads[at] ?? NO_HEADS) {
        if (!hasClass(its, id)) continue;
        all ??= [];
        all.push(end);
      }
      return all ?? NO_ENDS;
    },
    isKnown: (at) => (heads[at]?.length ?? 0) > 0,
    derive: (phrase, at, mode) => deriveId(grammar.phraseIds.get(phrase) ?? -1, at, mode),
    match,
    slot: (name, from, to) => readSlot(grammar.slotNames.indexOf(name), from, to),
    reached: () => furthest,
  };
};

type Words = Extract<FormSymbol, { kind: "words" }>;
type Slot = Extract<FormSymbol, { kind: "slot" }>;

/** One form that is tried at one place. */
type Walk = {
  readonly form: CompiledForm;
  readonly from: number;
  readonly mode: VerbMode;
  readonly out: Edge[];
};
