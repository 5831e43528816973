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
  /** The forms that clauses can be, by the words that count in them: most clauses have the same few. */
  readonly known: Map<string, CompiledForm[]>;
};

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
    known: new Map(),
  };
};

/** Whether a token can be a word of a form. */
export const isSaid = ({ kind }: Token): boolean => kind === "word" || kind === "mark";

const NO_FORMS: readonly number[] = [];

/** The forms that a clause can be, in their order. */
export const formsFor = (table: FormTable, tokens: readonly Token[]): readonly CompiledForm[] => {
  table.compiled ??= compileTable(table.all);
  const { forms, byHead, byChoice, free, needs, choicesOf, met } = table.compiled;
  const [first] = tokens;
  const head = first && isSaid(first) ? first.lower : "";
  let key = head;
  for (const token of tokens) {
    if (isSaid(token) && choicesOf.has(token.lower)) key += ` ${token.lower}`;
  }
  const known = table.compiled.known.get(key);
  if (known) return known;
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
  for (const index of byHead.get(head) ?? NO_FORMS) candidates.push(index);
  for (const index of free) candidates.push(index);
  candidates.sort(ascending);
  const found: CompiledForm[] = [];
  for (const index of candidates) {
    const form = forms[index];
    if (form && areMet(needs[index] ?? NO_FORMS, met)) found.push(form);
  }
  // Bounded: the memory is of what people write, not of all that may come.
  if (table.compiled.known.size < MAX_KNOWN && key.length < MAX_KEY) {
    table.compiled.known.set(key, found);
  }
  return found;
};

const MAX_KNOWN = 5_000;
const MAX_KEY = 200;

const ascending = (one: number, other: number): number => one - other;

const areMet = (needs: readonly number[], met: Uint8Array): boolean => {
  for (const choice of needs) if (met[choice] !== 1) return false;
  return true;
};
