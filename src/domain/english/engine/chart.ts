import type { Token } from "../words.ts";
import type { CompiledForm, Grammar } from "./compiled.ts";
import { addEdge, type Bound, bind, finished, NOTHING } from "./edges.ts";
import { type FormSymbol, MODES, type VerbMode } from "./pattern.ts";
import { formsAt, startsOf } from "./starts.ts";
import type { Edge, Mood, SlotReading } from "./types.ts";
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

const NO_EDGES: readonly Edge[] = [];
const NO_HEADS: readonly Head[] = [];
const NO_ENDS: readonly number[] = [];
/** The longest span of a slot, in tokens. */
const MAX_SPAN = 40;

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

/** A sentence and everything that was read of it so far. */
type Sheet = {
  readonly grammar: Grammar;
  readonly tokens: readonly Token[];
  readonly source: string;
  readonly mood: Mood | null;
  readonly heads: readonly (readonly Head[])[];
  readonly classes: readonly Classes[];
  readonly behind: readonly Classes[];
  /** The rows that start with a slot and can match, by phrase and mode. */
  readonly alive: Map<number, readonly CompiledForm[]>;
  readonly readings: Map<number, SlotReading | null>;
  readonly edges: Map<number, readonly Edge[]>;
  furthest: number;
};

type Words = Extract<FormSymbol, { kind: "words" }>;
type Slot = Extract<FormSymbol, { kind: "slot" }>;

/** One form that is tried at one place. */
type Walk = {
  readonly sheet: Sheet;
  readonly form: CompiledForm;
  readonly from: number;
  readonly mode: VerbMode;
  readonly out: Edge[];
};

/** Whether a row can end in front of a token: behind it stands a mark, a number, or a word that can follow it. */
const canEnd = ({ tokens, classes }: Sheet, form: CompiledForm, at: number): boolean => {
  const token = tokens[at];
  const here = classes[at];
  if (!token || !here) return at === tokens.length;
  const { follow } = form.of;
  return token.kind === "mark" || follow === null || doMeet(follow, here) || /^\d/.test(token.text);
};

const readSlot = (sheet: Sheet, index: number, from: number, to: number): SlotReading | null => {
  const key = (index * 256 + from) * 256 + to;
  const known = sheet.readings.get(key);
  if (known !== undefined) return known;
  const reader = sheet.grammar.slots[index];
  const found = reader ? reader(sheet.tokens, from, to, sheet.source) : null;
  sheet.readings.set(key, found);
  return found;
};

/** Whether the symbols of a form from one on can begin at a position. */
const canStart = (walk: Walk, index: number, at: number): boolean => {
  const { sheet, form, mode } = walk;
  const { tokens, classes, grammar } = sheet;
  const symbol = form.symbols[index];
  if (!symbol) return canEnd(sheet, form, at);
  if (at >= tokens.length && symbol.kind !== "words") return false;
  switch (symbol.kind) {
    case "words": {
      const here = classes[at];
      if (here && hasAny(here, symbol.ids[mode])) return true;
      return symbol.optional && canStart(walk, index + 1, at);
    }
    case "slot": {
      const reader = grammar.slots[symbol.slot];
      const token = tokens[at];
      return reader?.most !== 1 || !reader.last || (token !== undefined && reader.last(token));
    }
    case "phrase":
      return derive(sheet, symbol.id, at, symbol.mode ?? mode).length > 0;
    default: {
      const unknown: never = symbol;
      return unknown;
    }
  }
};

const walkSlot = (walk: Walk, index: number, at: number, bound: Bound, symbol: Slot): void => {
  const { sheet } = walk;
  const reader = sheet.grammar.slots[symbol.slot];
  const most = Math.min(sheet.tokens.length, at + (reader?.most ?? MAX_SPAN));
  for (let end = at + 1; end <= most; end++) {
    const last = sheet.tokens[end - 1];
    if (reader?.last && last && !reader.last(last)) continue;
    if (!canStart(walk, index + 1, end)) continue;
    const found = readSlot(sheet, symbol.slot, at, end);
    if (found) step(walk, index + 1, end, bind(bound, symbol.label, found, null));
  }
};

const walkWords = (walk: Walk, index: number, at: number, bound: Bound, symbol: Words): void => {
  const ids = symbol.ids[walk.mode];
  for (const head of walk.sheet.heads[at] ?? NO_HEADS) {
    if (hasAny(head.classes, ids)) step(walk, index + 1, head.end, bound);
  }
};

/** Reads the symbols of a form from one on. */
const step = (walk: Walk, index: number, at: number, bound: Bound): void => {
  const { sheet } = walk;
  if (at > sheet.furthest) sheet.furthest = at;
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
      for (const edge of derive(sheet, symbol.id, at, symbol.mode ?? walk.mode)) {
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
const mayMatch = (sheet: Sheet, { needs }: CompiledForm, at: number, mode: VerbMode): boolean => {
  for (const { symbol, behind: by } of needs) {
    const rest = sheet.behind[at + by];
    if (!rest) return false;
    if (symbol.kind === "words") {
      if (!hasAny(rest, symbol.ids[mode])) return false;
      continue;
    }
    const phrase = sheet.grammar.phrases[symbol.id];
    const first = phrase && startsOf(sheet.grammar, phrase, symbol.mode ?? mode).first;
    if (first && !doMeet(first, rest)) return false;
  }
  return true;
};

const isAllowed = ({ mood }: Sheet, { rule }: CompiledForm): boolean =>
  rule.moods === undefined || rule.moods.includes(mood ?? "none");

/** Adds the edges of one form at a position. */
const start = (sheet: Sheet, form: CompiledForm, at: number, mode: VerbMode, out: Edge[]): void => {
  if (isAllowed(sheet, form) && mayMatch(sheet, form, at, mode))
    step({ sheet, form, from: at, mode, out }, 0, at, NOTHING);
};

/** The rows that start with a slot and whose words stand in the sentence. */
const openForms = (
  sheet: Sheet,
  key: number,
  forms: readonly CompiledForm[],
  mode: VerbMode,
): readonly CompiledForm[] => {
  const known = sheet.alive.get(key);
  if (known) return known;
  const found = forms.filter((form) => isAllowed(sheet, form) && mayMatch(sheet, form, 0, mode));
  sheet.alive.set(key, found);
  return found;
};

/** The edges of all forms of a phrase at a position. */
const derive = (sheet: Sheet, phrase: number, at: number, mode: VerbMode): readonly Edge[] => {
  const forms = sheet.grammar.phrases[phrase];
  const here = sheet.classes[at];
  if (!forms || !here) return NO_EDGES;
  const starts = startsOf(sheet.grammar, forms, mode);
  if (starts.first !== null && !doMeet(starts.first, here)) return NO_EDGES;
  const kind = phrase * MODES.length + MODES.indexOf(mode);
  const key = kind * 256 + at;
  const known = sheet.edges.get(key);
  if (known) return known;
  // A phrase that contains itself at the same place has no further reading.
  sheet.edges.set(key, NO_EDGES);
  const out: Edge[] = [];
  const found = sheet.heads[at] ?? NO_HEADS;
  found.forEach((head, index) => {
    for (const form of formsAt(starts, head)) {
      const isTried =
        index > 0 && found.slice(0, index).some((each) => formsAt(starts, each).includes(form));
      if (!isTried) start(sheet, form, at, mode, out);
    }
  });
  for (const form of openForms(sheet, kind, starts.open, mode)) start(sheet, form, at, mode, out);
  sheet.edges.set(key, out);
  return out;
};

const endsOf = ({ classes, heads }: Sheet, id: number, at: number): readonly number[] => {
  const here = classes[at];
  if (!here || !hasClass(here, id)) return NO_ENDS;
  const found = heads[at] ?? NO_HEADS;
  return found.filter((head) => hasClass(head.classes, id)).map(({ end }) => end);
};

/** Creates the chart of a sentence below a keyword. */
export const createChart = (
  grammar: Grammar,
  tokens: readonly Token[],
  source: string,
  mood: Mood | null,
): Chart => {
  const { vocabulary } = grammar;
  const heads = tokens.map((_, at) => vocabulary.at(tokens, at));
  const classes = classesAt(vocabulary, heads);
  const behind = classesBehind(vocabulary, classes);
  const known = { alive: new Map(), readings: new Map(), edges: new Map() };
  const sheet: Sheet = {
    ...{ grammar, tokens, source, mood, heads, classes, behind },
    ...known,
    furthest: 0,
  };
  return {
    tokens,
    source,
    ends: (id, at) => endsOf(sheet, id, at),
    isKnown: (at) => (heads[at]?.length ?? 0) > 0,
    derive: (phrase, at, mode) => derive(sheet, grammar.phraseIds.get(phrase) ?? -1, at, mode),
    match: (form, at, mode) => {
      const out: Edge[] = [];
      start(sheet, form, at, mode, out);
      return out;
    },
    slot: (name, from, to) => readSlot(sheet, grammar.slotNames.indexOf(name), from, to),
    reached: () => sheet.furthest,
  };
};
