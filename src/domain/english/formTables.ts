import {
  ascending,
  compilePart,
  idsOf,
  type Part,
  type Words,
  wordCount,
  wordsAt,
} from "./formParts.ts";
import type { Bindings, SlotName } from "./slotTypes.ts";
import type { Token } from "./words.ts";

/** A step as a pattern makes it: what is not said is empty. */
export type Draft = {
  readonly action: string;
  readonly target?: string | undefined;
  readonly value?: string | undefined;
};

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

/** The words that a form can start with; null when it starts with a slot. */
const headsOf = (parts: readonly Part[]): number[] | null => {
  const heads: number[] = [];
  for (const part of parts) {
    if ("slot" in part) return null;
    for (const [first = 0] of part.alternatives) heads.push(first);
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
  readonly byHead: ByWord;
  readonly byChoice: readonly (readonly number[])[];
  /** Those that need no word at all. */
  readonly free: readonly number[];
  /** Of which choices of words each form needs one, and which choices a word belongs to. */
  readonly needs: readonly (readonly number[])[];
  readonly choicesOf: ByWord;
  /** Of which choices the clause that is looked at has a word. */
  readonly met: Uint8Array;
  /** 1 for every word of a form. */
  readonly words: Uint8Array;
  /** The forms that clauses can be, by what their words come to: most clauses have the same few. */
  readonly known: Map<number, Known>;
};

/** Lists by the number of a word. */
type ByWord = ReadonlyMap<number, readonly number[]>;

/** The forms that clauses can be whose words stand in the same places. */
type Known = { readonly places: readonly number[]; readonly forms: readonly CompiledForm[] };

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
  const byHead = new Map<number, number[]>();
  const headless: number[] = [];
  const choices = new Map<string, number>();
  const choicesOf = new Map<number, number[]>();
  const sizes: number[] = [];
  const put = (map: Map<number, number[]>, word: number, index: number): void => {
    const known = map.get(word);
    if (known) known.push(index);
    else map.set(word, [index]);
  };
  const choiceOf = ({ lasts, key }: Words): number => {
    const known = choices.get(key);
    if (known !== undefined) return known;
    for (const word of lasts) put(choicesOf, word, choices.size);
    sizes.push(lasts.length);
    choices.set(key, choices.size);
    return choices.size - 1;
  };
  const needs = forms.map(({ parts }, index) => {
    const heads = headsOf(parts);
    if (heads) for (const head of new Set(heads)) put(byHead, head, index);
    else headless.push(index);
    return parts.flatMap((part) => ("row" in part && !part.isOptional ? choiceOf(part) : []));
  });
  const words = new Uint8Array(wordCount() + 1);
  for (const { parts } of forms) {
    for (const part of parts) {
      if (!("row" in part)) continue;
      for (const said of part.alternatives.flat()) words[said] = 1;
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
    known: new Map(),
  };
};

const NO_FORMS: readonly number[] = [];

/** A clause whose words are numbers, and the forms that it can be, in their order. */
export type Tried = {
  readonly tokens: readonly Token[];
  readonly ids: readonly number[];
  readonly forms: readonly CompiledForm[];
};

/** Looks up which forms of a table a clause can be. */
export const formsFor = (table: FormTable, tokens: readonly Token[]): Tried => {
  table.compiled ??= compileTable(table.all);
  const { compiled } = table;
  const ids = idsOf(tokens);
  const places = placesOf(compiled, ids);
  const sum = sumOf(places);
  const known = compiled.known.get(sum);
  if (known && isSame(known.places, places)) return { tokens, ids, forms: known.forms };
  // Bounded: the memory is of what people write, not of all that may come.
  if (compiled.known.size >= MAX_KNOWN) compiled.known.clear();
  const forms = formsWith(compiled, places);
  compiled.known.set(sum, { places, forms });
  return { tokens, ids, forms };
};

const MAX_KNOWN = 10_000;

/** One number for some places: hardly two come to the same one, and those are told apart. */
const sumOf = (places: readonly number[]): number => {
  let sum = places.length;
  for (const place of places) sum = Math.imul(sum ^ place, 0x01000193);
  return sum;
};

const isSame = (one: readonly number[], other: readonly number[]): boolean => {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
};

/** The forms that have their words where the clause has them: what fills their slots is not looked at. */
const formsWith = (table: CompiledTable, places: readonly number[]): readonly CompiledForm[] => {
  const { forms, byHead, byChoice, free, needs, choicesOf, met } = table;
  met.fill(0);
  const candidates: number[] = [];
  for (const id of places) {
    for (const choice of choicesOf.get(id) ?? NO_FORMS) {
      if (met[choice] === 1) continue;
      met[choice] = 1;
      for (const index of byChoice[choice] ?? NO_FORMS) candidates.push(index);
    }
  }
  for (const index of byHead.get(places[0] ?? 0) ?? NO_FORMS) candidates.push(index);
  for (const index of free) candidates.push(index);
  candidates.sort(ascending);
  const room = [new Uint8Array(places.length + 1), new Uint8Array(places.length + 1)] as const;
  const found: CompiledForm[] = [];
  for (const index of candidates) {
    const form = forms[index];
    if (form && areMet(needs[index] ?? NO_FORMS, met) && fits(form, places, room)) found.push(form);
  }
  return found;
};

/** The words of a clause that forms have, one behind the other; 0 for a gap. */
const placesOf = ({ words }: CompiledTable, ids: readonly number[]): readonly number[] => {
  const places: number[] = [];
  let isGap = false;
  for (const id of ids) {
    const isWord = words[id] === 1;
    if (isWord || !isGap) places.push(isWord ? id : 0);
    isGap = !isWord;
  }
  return places;
};

/**
 * Whether the words of a form stand in these places, with something between them for each slot. `reached` and `next`
 * are room to note which places can be reached, one more than there are: asked for often, they are made once.
 */
const fits = (
  { parts }: CompiledForm,
  places: readonly number[],
  [reached, next]: readonly [Uint8Array, Uint8Array],
): boolean => {
  let now = reached;
  let then = next;
  now.fill(0);
  now[0] = 1;
  for (const part of parts) {
    const least = now.indexOf(1);
    if (least < 0) return false;
    then.fill(0);
    if ("slot" in part) {
      // Two slots may share the words of one gap.
      then.fill(1, places[least] === 0 ? least : least + 1);
    } else {
      for (let at = least; at <= places.length; at++) {
        if (now[at] !== 1) continue;
        const length = wordsAt(part, places, at);
        if (part.isOptional) then[at] = 1;
        if (length > 0) then[at + length] = 1;
      }
    }
    [now, then] = [then, now];
  }
  return now[places.length] === 1;
};

const areMet = (needs: readonly number[], met: Uint8Array): boolean => {
  for (const choice of needs) if (met[choice] !== 1) return false;
  return true;
};
