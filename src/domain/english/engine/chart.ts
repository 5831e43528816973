import type { Token } from "../words.ts";
import { type CompiledForm, formsAt, type Grammar } from "./grammar.ts";
import type { FormSymbol } from "./pattern.ts";
import type { Draft, Edge, Mood, Part, SlotReading } from "./types.ts";
import type { Head } from "./vocabulary.ts";

/** The forms in which a verb may stand: an order, a gerund, or the base form behind an auxiliary. */
export type VerbMode = "order" | "gerund" | "base" | "third" | "told";

const FORMS_OF: Readonly<Record<VerbMode, readonly number[]>> = {
  order: [0, 1, 2, 3],
  gerund: [4],
  base: [0],
  third: [0, 1, 2],
  told: [1, 2],
};
const MODES: Readonly<Record<VerbMode, number>> = {
  order: 0,
  gerund: 1,
  base: 2,
  third: 3,
  told: 4,
};

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

/** What the symbols of a form have read so far. */
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

const has = (heads: readonly Head[], id: number): boolean => {
  for (const { node } of heads) if (node.classes.has(id)) return true;
  return false;
};

/** The last position at which each class starts; -1 where it never does. */
const lastPositions = (size: number, heads: readonly (readonly Head[])[]): Int16Array => {
  const last = new Int16Array(size).fill(-1);
  heads.forEach((found, at) => {
    for (const { node } of found) for (const id of node.classes) last[id] = at;
  });
  return last;
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
  const lastAt = lastPositions(grammar.vocabulary.size, heads);
  const stops = tokens.map(
    ({ kind, text }, at) => kind === "mark" || (heads[at]?.length ?? 0) > 0 || /^\d/.test(text),
  );
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

  /** Whether the symbols from one on can begin at a position; the end of a form is anywhere a phrase may stop. */
  const canStart = (
    symbols: readonly FormSymbol[],
    index: number,
    at: number,
    mode: VerbMode,
  ): boolean => {
    const symbol = symbols[index];
    if (!symbol) return at === count || (stops[at] ?? false);
    if (at >= count && symbol.kind !== "words") return false;
    const found = heads[at] ?? NO_HEADS;
    switch (symbol.kind) {
      case "words":
        return has(found, symbol.id) || (symbol.optional && canStart(symbols, index + 1, at, mode));
      case "verb":
        return FORMS_OF[mode].some((form) => has(found, symbol.ids[form] ?? -1));
      case "slot":
        return true;
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
    const most = Math.min(count, at + (grammar.slots[symbol.slot]?.most ?? MAX_SPAN));
    for (let end = at + 1; end <= most; end++) {
      if (!canStart(form.symbols, index + 1, end, mode)) continue;
      const found = readSlot(symbol.slot, at, end);
      if (found) step(walk, index + 1, end, bind(bound, symbol.label, found, null));
    }
  };

  const walkWords = (walk: Walk, index: number, at: number, bound: Bound, id: number): void => {
    for (const { node, end } of heads[at] ?? NO_HEADS) {
      if (node.classes.has(id)) step(walk, index + 1, end, bound);
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
        walkWords(walk, index, at, bound, symbol.id);
        return;
      case "verb":
        for (const verb of FORMS_OF[walk.mode]) {
          walkWords(walk, index, at, bound, symbol.ids[verb] ?? -1);
        }
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

  /** Whether the row applies below the keyword, and its words stand behind a position. */
  const mayMatch = ({ rule, needs }: CompiledForm, at: number): boolean =>
    (rule.moods === undefined || rule.moods.includes(mood ?? "none")) &&
    needs.every(({ id, behind }) => (lastAt[id] ?? -1) >= at + behind);

  const start = (form: CompiledForm, at: number, mode: VerbMode, out: Edge[]): void => {
    if (mayMatch(form, at)) step({ form, from: at, mode, out }, 0, at, NOTHING);
  };

  const match = (form: CompiledForm, at: number, mode: VerbMode): readonly Edge[] => {
    const out: Edge[] = [];
    start(form, at, mode, out);
    return out;
  };

  const deriveId = (phrase: number, at: number, mode: VerbMode): readonly Edge[] => {
    const key = (phrase * 8 + MODES[mode]) * 256 + at;
    const known = table.get(key);
    if (known) return known;
    const forms = grammar.phrases[phrase];
    if (!forms || at >= count) return NO_EDGES;
    // A phrase that contains itself at the same place has no further reading.
    table.set(key, NO_EDGES);
    const out: Edge[] = [];
    const tried = new Set<CompiledForm>();
    for (const { node } of heads[at] ?? NO_HEADS) {
      for (const form of formsAt(forms, node)) {
        if (tried.has(form)) continue;
        tried.add(form);
        start(form, at, mode, out);
      }
    }
    for (const form of forms.open) start(form, at, mode, out);
    table.set(key, out);
    return out;
  };

  return {
    tokens,
    source,
    ends: (id, at) => {
      let all: number[] | null = null;
      for (const { node, end } of heads[at] ?? NO_HEADS) {
        if (!node.classes.has(id)) continue;
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

type Slot = Extract<FormSymbol, { kind: "slot" }>;

/** One form that is tried at one place. */
type Walk = {
  readonly form: CompiledForm;
  readonly from: number;
  readonly mode: VerbMode;
  readonly out: Edge[];
};
