import type { Token } from "../words.ts";
import type { Bindings, Slot, SlotName, SlotType } from "./slots.ts";

/** A step as a pattern makes it: what is not said is empty. */
export type Draft = { readonly action: string; readonly target?: string; readonly value?: string };

/** What a form makes of its slots: a step, a doubt that a person must settle, or null: not this form after all. */
export type Built = Draft | { readonly doubt: string } | null;

/** A doubt in a slot may be settled by another form; one that the form itself has is `firm`. */
type Doubt = { readonly doubt: string; readonly firm: boolean };

/**
 * A form of sentence. `pattern` is words and slots: `a|b` alternatives (`fill_in` is two words), `word?`
 * may be left out and is taken when it is there, `{name:type}` a slot. `example` is what a person is shown.
 */
export type Form = {
  readonly pattern: string;
  readonly example: string;
  build(slots: Bindings): Built;
};

type Words = {
  /** The alternatives by their first word, longer ones first: "click on" is not "click" and a target that starts with "on". */
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly isOptional: boolean;
};

type Part = Words | { readonly slot: SlotName; readonly type: SlotType };

type CompiledForm = {
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
  return { forms, byHead, byChoice, free, needs, choicesOf, met: new Uint8Array(choices.size) };
};

const isSaid = ({ kind }: Token): boolean => kind === "word" || kind === "mark";

const NO_FORMS: readonly number[] = [];

/** The forms that a clause can be, in their order. */
export const formsFor = (table: FormTable, tokens: readonly Token[]): CompiledForm[] => {
  table.compiled ??= compileTable(table.all);
  const { forms, byHead, byChoice, free, needs, choicesOf, met } = table.compiled;
  met.fill(0);
  const candidates: number[] = [];
  for (const token of tokens) {
    if (token.kind !== "word" && token.kind !== "mark") continue;
    for (const choice of choicesOf.get(token.lower) ?? NO_FORMS) {
      if (met[choice] === 1) continue;
      met[choice] = 1;
      for (const index of byChoice[choice] ?? NO_FORMS) candidates.push(index);
    }
  }
  const [first] = tokens;
  const headed = (first && isSaid(first) && byHead.get(first.lower)) || NO_FORMS;
  for (const index of headed) candidates.push(index);
  for (const index of free) candidates.push(index);
  candidates.sort(ascending);
  const found: CompiledForm[] = [];
  for (const index of candidates) {
    const form = forms[index];
    if (form && areMet(needs[index] ?? NO_FORMS, met)) found.push(form);
  }
  return found;
};

const ascending = (one: number, other: number): number => one - other;

const areMet = (needs: readonly number[], met: Uint8Array): boolean => {
  for (const choice of needs) if (met[choice] !== 1) return false;
  return true;
};

type Matched = {
  /** Every different reading that the form allows: more than one is an ambiguity. */
  readonly built: readonly (Draft | Doubt)[];
  /** The number of tokens before the first slot: what "and …" may leave unsaid. */
  readonly lead: number;
};

/** Reads a slot of a clause. */
export type ReadAt = (
  type: SlotType,
  tokens: readonly Token[],
  at: number,
  end: number,
) => Slot | null;

/** What is found while a form is tried: readings, and the slots that have been read on the way. */
type Walk = {
  readonly compiled: CompiledForm;
  readonly tokens: readonly Token[];
  readonly readAt: ReadAt;
  readonly built: (Draft | Doubt)[];
  readonly slots: Slot[];
  lead: number;
};

/** All readings of a clause by one form; `built` is empty when it does not fit. */
export const matchForm = (
  compiled: CompiledForm,
  tokens: readonly Token[],
  readAt: ReadAt,
): Matched => {
  const walk: Walk = { compiled, tokens, readAt, built: [], slots: [], lead: tokens.length };
  walkFrom(walk, 0, 0, 0);
  return walk;
};

const walkFrom = (walk: Walk, part: number, at: number, depth: number): void => {
  const { built, tokens } = walk;
  // Two readings are an ambiguity already: no need to find them all.
  if (built.length > 1) return;
  const { parts, firstSlot } = walk.compiled;
  const current = parts[part];
  if (!current) {
    if (at < tokens.length) return;
    const result = judge(walk, depth);
    if (result && !built.some((other) => isSame(other, result))) built.push(result);
    return;
  }
  if ("byFirst" in current) {
    const length = wordsAt(current, tokens, at);
    if (length > 0) walkFrom(walk, part + 1, at + length, depth);
    // A word that may be left out is taken where that fits: "accept the alert" has no adjective.
    if (current.isOptional && (length === 0 || built.length === 0)) {
      walkFrom(walk, part + 1, at, depth);
    }
    return;
  }
  if (part === firstSlot && at < walk.lead) walk.lead = at;
  const isLast = part === parts.length - 1;
  for (let end = isLast ? tokens.length : at + 1; end <= tokens.length; end++) {
    if (end === at || (!isLast && !fitsAfter(parts, part + 1, tokens, end))) continue;
    const read = walk.readAt(current.type, tokens, at, end);
    if (!read) continue;
    walk.slots[depth] = read;
    walkFrom(walk, part + 1, end, depth + 1);
  }
};

const isSame = (one: Draft | Doubt, other: Draft | Doubt): boolean =>
  "doubt" in one || "doubt" in other
    ? "doubt" in one && "doubt" in other && one.doubt === other.doubt && one.firm === other.firm
    : one.action === other.action && one.target === other.target && one.value === other.value;

const judge = ({ compiled, slots }: Walk, count: number): Draft | Doubt | null => {
  const bindings: Partial<Record<SlotName, Slot>> = {};
  for (let index = 0; index < count; index++) {
    const name = compiled.names[index];
    const slot = slots[index];
    if (name && slot) bindings[name] = slot;
  }
  const result = compiled.form.build(bindings);
  if (!result) return null;
  for (let index = 0; index < count; index++) {
    const slot = slots[index];
    const doubt = slot?.doubt;
    if (slot && doubt) return { doubt, firm: slot.isFirm };
  }
  return "doubt" in result ? { doubt: result.doubt, firm: true } : result;
};

/** How many tokens the words of a part take at a place; 0 when they are not there. */
const wordsAt = ({ byFirst }: Words, tokens: readonly Token[], at: number): number => {
  const first = tokens[at];
  if (!first || !isSaid(first)) return 0;
  for (const words of byFirst.get(first.lower) ?? NONE) {
    let count = 1;
    while (count < words.length) {
      const token = tokens[at + count];
      if (!token || !isSaid(token) || token.lower !== words[count]) break;
      count++;
    }
    if (count === words.length) return count;
  }
  return 0;
};

const NONE: readonly (readonly string[])[] = [];

/** Whether what follows a slot can stand at a place: spares reading slots that lead nowhere. */
const fitsAfter = (
  parts: readonly Part[],
  next: number,
  tokens: readonly Token[],
  at: number,
): boolean => {
  for (let part = next; part < parts.length; part++) {
    const current = parts[part];
    if (!current || "slot" in current) return at < tokens.length;
    if (wordsAt(current, tokens, at) > 0) return true;
    if (!current.isOptional) return false;
  }
  return at === tokens.length;
};
