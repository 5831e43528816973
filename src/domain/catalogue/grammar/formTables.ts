import type { Token } from "../words.ts";
import type { Bindings, SlotName, SlotType } from "./slotTypes.ts";

/** A step as a pattern makes it: what is not said is empty. */
export type Draft = { readonly action: string; readonly target?: string; readonly value?: string };

/** What a form makes of its slots: a step, a doubt that a person must settle, or null: not this form after all. */
export type Built = Draft | { readonly doubt: string } | null;

/**
 * A form of sentence. `pattern` is words and slots: `a|b` alternatives (`fill_in` is two words), `word?`
 * may be left out and is taken when it is there, `{name:type}` a slot. `example` is what a person is shown.
 */
export type Form = {
  readonly pattern: string;
  readonly example: string;
  build(slots: Bindings): Built;
};

/** A word of a form, in one of its ways. */
export type Words = {
  /** The alternatives by their first word, longer ones first: "click on" is not "click" and a target that starts with "on". */
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly isOptional: boolean;
};

/** What a form is made of: words and slots. */
export type Part = Words | { readonly slot: SlotName; readonly type: SlotType };

/** A form, made ready to be tried. */
export type CompiledForm = {
  readonly form: Form;
  readonly parts: readonly Part[];
  readonly firstSlot: number;
  /** The slots' names in the order of the pattern. */
  readonly names: readonly SlotName[];
};

/** Compiles a form once, when the table is loaded. */
const compileForm = (form: Form): CompiledForm => {
  const parts = form.pattern.split(" ").map(compilePart);
  const names = parts.flatMap((part) => ("slot" in part ? [part.slot] : []));
  return { form, parts, firstSlot: parts.findIndex((part) => "slot" in part), names };
};

const compilePart = (text: string): Part => {
  const slot = /^\{(\w+):(\w+)\}$/.exec(text);
  if (slot) return { slot: slot[1] as SlotName, type: slot[2] as SlotType };
  const isOptional = text.endsWith("?");
  const byFirst = new Map<string, string[][]>();
  for (const alternative of (isOptional ? text.slice(0, -1) : text).split("|")) {
    const words = alternative.split("_");
    const known = byFirst.get(words[0] ?? "") ?? [];
    byFirst.set(words[0] ?? "", [...known, words]);
  }
  for (const known of byFirst.values()) known.sort((a, b) => b.length - a.length);
  return { byFirst, isOptional };
};

/** The words that a form can start with; null when it starts with a slot. */
const headsOf = (parts: readonly Part[]): string[] | null => {
  const heads: string[] = [];
  for (const part of parts) {
    if ("slot" in part) return null;
    heads.push(...part.byFirst.keys());
    if (!part.isOptional) break;
  }
  return heads;
};

/** Forms in their order, which are compiled with the first clause: a start need not wait for that. */
export type FormTable = { readonly all: readonly Form[]; compiled: CompiledTable | null };

/** Compiled forms, and which of them a clause can be by its words: most clauses are tried with a few alone. */
type CompiledTable = {
  readonly forms: readonly CompiledForm[];
  /** The forms that can start with a word; those that start with a slot, by the rarest choice that they need. */
  readonly byHead: ReadonlyMap<string, readonly number[]>;
  readonly byChoice: readonly (readonly number[])[];
  /** Those that need no word at all. */
  readonly free: readonly number[];
  /** Of which choices of words each form needs one, and which choices a word belongs to. */
  readonly needs: readonly (readonly number[])[];
  readonly choicesOf: ReadonlyMap<string, readonly number[]>;
  /** Of which choices the clause that is looked at has a word. */
  readonly met: Uint8Array;
  /** Every word of a form. */
  readonly words: ReadonlySet<string>;
  /** The forms that clauses can be, by their words: most clauses have the same few. */
  known: Known;
  /** How many places `known` has. */
  size: number;
};

/** What is known of clauses that begin alike. */
type Known = {
  readonly next: Map<string, Known>;
  /** After any number of words that no form has. */
  gap: Known | null;
  /** The forms that a clause can be that ends here, once one has been looked at. */
  forms: readonly CompiledForm[] | null;
};

const nothingKnown = (): Known => ({ next: new Map(), gap: null, forms: null });

/** A table of forms. */
export const formTable = (all: readonly Form[]): FormTable => ({ all, compiled: null });

/** Most forms stand in several tables. */
const compiledForms = new WeakMap<Form, CompiledForm>();

const compileOnce = (form: Form): CompiledForm => {
  const compiled = compiledForms.get(form) ?? compileForm(form);
  compiledForms.set(form, compiled);
  return compiled;
};

const compileTable = (all: readonly Form[]): CompiledTable => {
  const forms = all.map(compileOnce);
  const byHead = new Map<string, number[]>();
  const headless: number[] = [];
  const choices = new Map<string, number>();
  const choicesOf = new Map<string, number[]>();
  const sizes: number[] = [];
  const put = (map: Map<string, number[]>, word: string, index: number): void => {
    const known = map.get(word);
    if (known) known.push(index);
    else map.set(word, [index]);
  };
  const choiceOf = (part: Words): number => {
    const words = new Set([...part.byFirst.values()].flat().map((words) => words.at(-1) ?? ""));
    const key = [...words].sort().join(" ");
    const known = choices.get(key);
    if (known !== undefined) return known;
    for (const word of words) put(choicesOf, word, choices.size);
    sizes.push(words.size);
    choices.set(key, choices.size);
    return choices.size - 1;
  };
  const needs = forms.map(({ parts }, index) => {
    const heads = headsOf(parts);
    if (heads) for (const head of new Set(heads)) put(byHead, head, index);
    else headless.push(index);
    return parts.flatMap((part) => ("byFirst" in part && !part.isOptional ? choiceOf(part) : []));
  });
  const words = new Set<string>();
  for (const { parts } of forms) {
    for (const part of parts) {
      if (!("byFirst" in part)) continue;
      for (const said of [...part.byFirst.values()].flat(2)) words.add(said);
    }
  }
  // The rarer the words of a choice, the fewer clauses its forms are tried with.
  const byChoice: number[][] = Array.from(choices, () => []);
  const free: number[] = [];
  for (const index of headless) {
    const rarest = needs[index]?.reduce(
      (best, choice) => ((sizes[choice] ?? 0) < (sizes[best] ?? 1e9) ? choice : best),
      -1,
    );
    if (rarest === undefined || rarest < 0) free.push(index);
    else byChoice[rarest]?.push(index);
  }
  return {
    forms,
    byHead,
    byChoice,
    free,
    needs,
    choicesOf,
    met: new Uint8Array(choices.size),
    words,
    known: nothingKnown(),
    size: 1,
  };
};

/** Whether a token can be a word of a form. */
export const isSaid = ({ kind }: Token): boolean => kind === "word" || kind === "mark";

const NO_FORMS: readonly number[] = [];

/** The forms that a clause can be, in their order. */
export const formsFor = (table: FormTable, tokens: readonly Token[]): readonly CompiledForm[] => {
  table.compiled ??= compileTable(table.all);
  const { compiled } = table;
  const { words } = compiled;
  // Bounded: the memory is of what people write, not of all that may come.
  if (compiled.size > MAX_KNOWN) {
    compiled.known = nothingKnown();
    compiled.size = 1;
  }
  let known = compiled.known;
  let isGap = false;
  for (const token of tokens) {
    const { lower } = token;
    const isWord = isSaid(token);
    let next = isWord ? known.next.get(lower) : undefined;
    if (!next && isWord && words.has(lower)) {
      next = nothingKnown();
      compiled.size++;
      known.next.set(lower, next);
    }
    if (next) {
      known = next;
      isGap = false;
      continue;
    }
    if (isGap) continue;
    isGap = true;
    if (!known.gap) {
      known.gap = nothingKnown();
      compiled.size++;
    }
    known = known.gap;
  }
  known.forms ??= formsWith(compiled, tokens);
  return known.forms;
};

const MAX_KNOWN = 30_000;

/** The forms that have their words where the clause has them: what fills their slots is not looked at. */
const formsWith = (table: CompiledTable, tokens: readonly Token[]): readonly CompiledForm[] => {
  const { forms, byHead, byChoice, free, needs, choicesOf, met } = table;
  met.fill(0);
  const candidates: number[] = [];
  for (const token of tokens) {
    if (!isSaid(token)) continue;
    for (const choice of choicesOf.get(token.lower) ?? NO_FORMS) {
      if (met[choice] === 1) continue;
      met[choice] = 1;
      for (const index of byChoice[choice] ?? NO_FORMS) candidates.push(index);
    }
  }
  const [first] = tokens;
  const head = first && isSaid(first) ? first.lower : "";
  for (const index of byHead.get(head) ?? NO_FORMS) candidates.push(index);
  for (const index of free) candidates.push(index);
  candidates.sort(ascending);
  const places = placesOf(table, tokens);
  const found: CompiledForm[] = [];
  for (const index of candidates) {
    const form = forms[index];
    if (form && areMet(needs[index] ?? NO_FORMS, met) && fits(form, places)) found.push(form);
  }
  return found;
};

/** The words of a clause that forms have, one behind the other; null for a gap. */
const placesOf = (
  { words }: CompiledTable,
  tokens: readonly Token[],
): readonly (Token | null)[] => {
  const places: (Token | null)[] = [];
  for (const token of tokens) {
    const isKnown = isSaid(token) && words.has(token.lower);
    if (isKnown) places.push(token);
    else if (places.length === 0 || places.at(-1) !== null) places.push(null);
  }
  return places;
};

/** Whether the words of a form stand in these places, with something between them for each slot. */
const fits = ({ parts }: CompiledForm, places: readonly (Token | null)[]): boolean => {
  let reached: readonly number[] = [0];
  for (const part of parts) {
    const next: number[] = [];
    const [least] = reached;
    if (least === undefined) return false;
    if ("slot" in part) {
      // Two slots may share the words of one gap.
      if (places[least] === null) next.push(least);
      for (let at = least + 1; at <= places.length; at++) next.push(at);
    } else {
      for (const at of reached) {
        const length = wordsIn(part, places, at);
        if (part.isOptional) put(next, at);
        if (length > 0) put(next, at + length);
      }
      next.sort(ascending);
    }
    reached = next;
  }
  return reached.at(-1) === places.length;
};

const put = (list: number[], one: number): void => {
  if (!list.includes(one)) list.push(one);
};

const wordsIn = (part: Words, places: readonly (Token | null)[], at: number): number => {
  const first = places[at];
  for (const words of (first && part.byFirst.get(first.lower)) ?? []) {
    if (words.every((one, index) => places[at + index]?.lower === one)) return words.length;
  }
  return 0;
};

const ascending = (one: number, other: number): number => one - other;

const areMet = (needs: readonly number[], met: Uint8Array): boolean => {
  for (const choice of needs) if (met[choice] !== 1) return false;
  return true;
};
