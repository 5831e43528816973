import type { Token } from "../words.ts";
import type { CompiledForm, Grammar } from "./grammar.ts";
import type { FormSymbol } from "./pattern.ts";
import type { Draft, Edge, Mood, SlotReading, Trace } from "./types.ts";
import type { Heads } from "./vocabulary.ts";

/** The forms in which a verb may stand: an order, a gerund, or the base form behind an auxiliary. */
export type VerbMode = "order" | "gerund" | "base" | "third" | "told";

const FORMS_OF: Readonly<Record<VerbMode, readonly number[]>> = {
  order: [0, 1, 2, 3],
  gerund: [4],
  base: [0],
  third: [0, 1, 2],
  told: [1, 2],
};
const MODES: readonly VerbMode[] = ["order", "gerund", "base", "third", "told"];

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

type Bound = {
  readonly slots: Record<string, SlotReading>;
  readonly inner: Record<string, readonly Draft[]>;
  readonly traces: readonly Trace[];
  readonly cost: number;
  readonly doubt: string | null;
  /** The continuations of the phrases inside. */
  readonly again: readonly number[];
};

const NOTHING: Bound = { slots: {}, inner: {}, traces: [], cost: 0, doubt: null, again: [] };
const NO_EDGES: readonly Edge[] = [];

const bindSlot = (bound: Bound, label: string, reading: SlotReading): Bound => ({
  ...bound,
  slots: { ...bound.slots, [label]: reading },
  cost: bound.cost + reading.cost,
  doubt: bound.doubt ?? reading.doubt,
});

const bindEdge = (bound: Bound, label: string, edge: Edge): Bound => ({
  ...bound,
  inner: { ...bound.inner, [label]: edge.steps },
  traces: [...bound.traces, edge.trace],
  again: edge.again,
  cost: bound.cost + edge.cost,
  doubt: bound.doubt ?? edge.doubt,
});

const isSameEdge = (one: Edge, other: Edge): boolean =>
  one.end === other.end &&
  one.doubt === other.doubt &&
  one.again.join() === other.again.join() &&
  one.steps.length === other.steps.length &&
  one.steps.every((step, at) => {
    const its = other.steps[at];
    return step.action === its?.action && step.target === its.target && step.value === its.value;
  });

/** Adds an edge, of equal ones the cheapest. */
const addEdge = (edges: Edge[], edge: Edge): void => {
  const at = edges.findIndex((known) => isSameEdge(known, edge));
  if (at < 0) edges.push(edge);
  else if ((edges[at]?.cost ?? 0) > edge.cost) edges[at] = edge;
};

/** Creates the chart of a sentence below a keyword. */
export const createChart = (
  grammar: Grammar,
  tokens: readonly Token[],
  source: string,
  mood: Mood | null,
): Chart => {
  const count = tokens.length;
  const heads: Heads[] = tokens.map((_, at) => grammar.vocabulary.at(tokens, at));
  const lastAt = new Map<number, number>();
  for (const [at, found] of heads.entries()) {
    for (let index = 0; index < found.length; index += 2) lastAt.set(found[index] ?? 0, at);
  }
  const stops = tokens.map(
    ({ kind, text }, at) => kind === "mark" || (heads[at]?.length ?? 0) > 0 || /^\d/.test(text),
  );
  const readings = new Map<number, SlotReading | null>();
  const table = new Map<string, readonly Edge[]>();
  let furthest = 0;

  const starts = (id: number, at: number): boolean => {
    const found = heads[at];
    if (!found) return false;
    for (let index = 0; index < found.length; index += 2) if (found[index] === id) return true;
    return false;
  };

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
    switch (symbol.kind) {
      case "words":
        return starts(symbol.id, at) || (symbol.optional && canStart(symbols, index + 1, at, mode));
      case "verb":
        return FORMS_OF[mode].some((form) => starts(symbol.ids[form] ?? -1, at));
      case "slot":
        return true;
      case "phrase":
        return derive(symbol.phrase, at, symbol.mode ?? mode).length > 0;
      default: {
        const unknown: never = symbol;
        return unknown;
      }
    }
  };

  const finish = (
    form: CompiledForm,
    from: number,
    at: number,
    bound: Bound,
    out: Edge[],
  ): void => {
    const slots: Record<string, string> = {};
    for (const [label, { text }] of Object.entries(bound.slots)) slots[label] = String(text);
    addEdge(out, {
      end: at,
      steps: form.steps(bound.slots, bound.inner),
      doubt: bound.doubt,
      cost: bound.cost + (form.rule.cost ?? 0),
      again: bound.again.length === 0 ? form.again : [...form.again, ...bound.again],
      trace: {
        rule: `${form.rule.phrase}: ${form.rule.form}`,
        from,
        to: at,
        slots,
        inner: bound.traces,
      },
    });
  };

  const walk = (
    form: CompiledForm,
    index: number,
    from: number,
    at: number,
    mode: VerbMode,
    bound: Bound,
    out: Edge[],
  ): void => {
    if (at > furthest) furthest = at;
    const symbol = form.symbols[index];
    if (!symbol) {
      finish(form, from, at, bound, out);
      return;
    }
    switch (symbol.kind) {
      case "words":
        if (symbol.optional) walk(form, index + 1, from, at, mode, bound, out);
        for (const end of ends(symbol.id, at)) walk(form, index + 1, from, end, mode, bound, out);
        return;
      case "verb":
        for (const verb of FORMS_OF[mode]) {
          for (const end of ends(symbol.ids[verb] ?? -1, at)) {
            walk(form, index + 1, from, end, mode, bound, out);
          }
        }
        return;
      case "slot":
        for (let end = at + 1; end <= count && end <= at + MAX_SPAN; end++) {
          if (!canStart(form.symbols, index + 1, end, mode)) continue;
          const reading = readSlot(symbol.slot, at, end);
          if (reading) {
            walk(form, index + 1, from, end, mode, bindSlot(bound, symbol.label, reading), out);
          }
        }
        return;
      case "phrase":
        for (const edge of derive(symbol.phrase, at, symbol.mode ?? mode)) {
          walk(form, index + 1, from, edge.end, mode, bindEdge(bound, symbol.label, edge), out);
        }
        return;
      default: {
        const unknown: never = symbol;
        void unknown;
      }
    }
  };

  const ends = (id: number, at: number): readonly number[] => {
    const found = heads[at];
    if (!found || !starts(id, at)) return NO_ENDS;
    const all: number[] = [];
    for (let index = 0; index < found.length; index += 2) {
      if (found[index] === id) all.push(found[index + 1] ?? at);
    }
    return all;
  };

  const isIn = ({ rule }: CompiledForm): boolean =>
    rule.moods === undefined || rule.moods.includes(mood ?? "none");

  const match = (form: CompiledForm, at: number, mode: VerbMode): readonly Edge[] => {
    const out: Edge[] = [];
    if (isIn(form)) walk(form, 0, at, at, mode, NOTHING, out);
    return out;
  };

  const derive = (phrase: string, at: number, mode: VerbMode): readonly Edge[] => {
    const key = `${phrase}:${at}:${MODES.indexOf(mode)}`;
    const known = table.get(key);
    if (known) return known;
    const forms = grammar.phrases.get(phrase);
    if (!forms || at >= count) return NO_EDGES;
    // A phrase that contains itself at the same place has no further reading.
    table.set(key, NO_EDGES);
    const out: Edge[] = [];
    const found = heads[at] ?? [];
    const seen = new Set<number>();
    for (let index = 0; index < found.length; index += 2) {
      for (const form of forms.byHead.get(found[index] ?? -1) ?? []) {
        if (seen.has(form.id) || !isIn(form)) continue;
        seen.add(form.id);
        walk(form, 0, at, at, mode, NOTHING, out);
      }
    }
    for (const form of forms.open) {
      if (form.anchor >= 0 && (lastAt.get(form.anchor) ?? -1) < at) continue;
      if (isIn(form)) walk(form, 0, at, at, mode, NOTHING, out);
    }
    table.set(key, out);
    return out;
  };

  return {
    tokens,
    source,
    ends,
    isKnown: (at) => (heads[at]?.length ?? 0) > 0,
    derive,
    match,
    slot: (name, from, to) => readSlot(grammar.slotNames.indexOf(name), from, to),
    reached: () => furthest,
  };
};

const NO_ENDS: readonly number[] = [];

/** The longest span of a slot, in tokens. */
const MAX_SPAN = 40;
