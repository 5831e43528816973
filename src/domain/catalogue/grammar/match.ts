import type { Token } from "../words.ts";
import type { Bindings, Slot, SlotName, SlotType } from "./slots.ts";

/** A step as a pattern makes it: what is not said is empty. */
export type Draft = { readonly action: string; readonly target?: string; readonly value?: string };

/** What a form makes of its slots: a step, a doubt that a person must settle, or null: not this form after all. */
export type Built = Draft | { readonly doubt: string } | null;

/** A doubt in a slot may be settled by another form; one that the form itself has is `firm`. */
export type Doubt = { readonly doubt: string; readonly firm: boolean };

/**
 * A form of sentence. `pattern` is words and slots: `a|b` alternatives (`fill_in` is two words), `word?`
 * may be left out and is taken when it is there, `{name:type}` a slot. `example` is what a person is shown.
 */
export type Form = {
  readonly pattern: string;
  readonly example: string;
  build(slots: Bindings): Built;
};

type Part =
  | { readonly words: readonly (readonly string[])[]; readonly isOptional: boolean }
  | { readonly slot: SlotName; readonly type: SlotType };

type CompiledForm = {
  readonly form: Form;
  readonly parts: readonly Part[];
  /** For each obligatory word: at least one of these must occur, or the form cannot match. */
  readonly needs: readonly (readonly string[])[];
  /** The words that the form can start with; null when it starts with a slot. */
  readonly heads: readonly string[] | null;
};

/** Compiles a form once, when the table is loaded. */
const compileForm = (form: Form): CompiledForm => {
  const parts = form.pattern.split(" ").map((text): Part => {
    const slot = /^\{(\w+):(\w+)\}$/.exec(text);
    if (slot) return { slot: slot[1] as SlotName, type: slot[2] as SlotType };
    const isOptional = text.endsWith("?");
    const alternatives = (isOptional ? text.slice(0, -1) : text).split("|");
    // Longer alternatives first, so that "click on" is not "click" and a target that starts with "on".
    const words = alternatives.map((words) => words.split("_")).sort((a, b) => b.length - a.length);
    return { words, isOptional };
  });
  const needs = parts.flatMap((part) =>
    "words" in part && !part.isOptional ? [part.words.map((words) => words.at(-1) ?? "")] : [],
  );
  return { form, parts, needs, heads: headsOf(parts) };
};

const headsOf = (parts: readonly Part[]): string[] | null => {
  const heads: string[] = [];
  for (const part of parts) {
    if ("slot" in part) return null;
    heads.push(...part.words.map(([first]) => first ?? ""));
    if (!part.isOptional) break;
  }
  return heads;
};

/** Forms in their order, and which of them a clause can be by its words: most clauses are tried with a few alone. */
export type FormTable = {
  readonly forms: readonly CompiledForm[];
  readonly byHead: ReadonlyMap<string, readonly number[]>;
  readonly byNeed: ReadonlyMap<string, readonly number[]>;
};

/** Compiles forms into a table. */
export const formTable = (all: readonly Form[]): FormTable => {
  const forms = all.map(compileForm);
  const byHead = new Map<string, number[]>();
  const byNeed = new Map<string, number[]>();
  for (const [index, { heads, needs }] of forms.entries()) {
    const map = heads ? byHead : byNeed;
    for (const word of new Set(heads ?? needs.at(-1))) {
      map.set(word, [...(map.get(word) ?? []), index]);
    }
  }
  return { forms, byHead, byNeed };
};

const wordsByTokens = new WeakMap<readonly Token[], ReadonlySet<string>>();

/** The words of a clause, gathered once however many tables it is tried with. */
const wordsOf = (tokens: readonly Token[]): ReadonlySet<string> => {
  const known = wordsByTokens.get(tokens);
  if (known) return known;
  const words = new Set<string>();
  for (const { kind, lower } of tokens) if (kind === "word" || kind === "mark") words.add(lower);
  wordsByTokens.set(tokens, words);
  return words;
};

/** The forms that a clause can be, in their order. */
export const formsFor = (table: FormTable, tokens: readonly Token[]): CompiledForm[] => {
  const words = wordsOf(tokens);
  const found = new Set(table.byHead.get(tokens[0]?.lower ?? ""));
  for (const word of words) for (const index of table.byNeed.get(word) ?? []) found.add(index);
  return [...found]
    .sort((a, b) => a - b)
    .flatMap((index) => table.forms[index] ?? [])
    .filter(({ needs }) => needs.every((any) => any.some((word) => words.has(word))));
};

export type Matched = {
  /** Every different reading that the form allows: more than one is an ambiguity. */
  readonly built: readonly (Draft | Doubt)[];
  /** The number of tokens before the first slot: what "and …" may leave unsaid. */
  readonly lead: number;
};

/** All readings of a clause by one form; `built` is empty when it does not fit. `readAt` reads a slot. */
export const matchForm = (
  { form, parts }: CompiledForm,
  tokens: readonly Token[],
  readAt: (type: SlotType, at: number, end: number) => Slot | null,
): Matched => {
  const built = new Map<string, Draft | Doubt>();
  const firstSlot = parts.findIndex((part) => "slot" in part);
  let lead = tokens.length;

  const walk = (part: number, at: number, slots: Bindings): void => {
    // Two readings are an ambiguity already: no need to find them all.
    if (built.size > 1) return;
    const current = parts[part];
    if (!current) {
      if (at < tokens.length) return;
      const result = judge(form, slots);
      if (result) built.set(JSON.stringify(result), result);
      return;
    }
    if ("words" in current) {
      const length = wordsAt(current.words, tokens, at);
      if (length > 0) walk(part + 1, at + length, slots);
      // A word that may be left out is taken where that fits: "accept the alert" has no adjective.
      if (current.isOptional && (length === 0 || built.size === 0)) walk(part + 1, at, slots);
      return;
    }
    if (part === firstSlot) lead = Math.min(lead, at);
    const isLast = part === parts.length - 1;
    for (let end = isLast ? tokens.length : at + 1; end <= tokens.length; end++) {
      if (!isLast && !fitsAfter(parts, part + 1, tokens, end)) continue;
      const read = readAt(current.type, at, end);
      if (read) walk(part + 1, end, { ...slots, [current.slot]: read });
    }
  };
  walk(0, 0, {});
  return { built: [...built.values()], lead };
};

const judge = (form: Form, slots: Bindings): Draft | Doubt | null => {
  const result = form.build(slots);
  if (!result) return null;
  const doubtful = Object.values(slots).find(({ doubt }) => doubt !== null);
  if (doubtful?.doubt) return { doubt: doubtful.doubt, firm: doubtful.isFirm };
  return "doubt" in result ? { doubt: result.doubt, firm: true } : result;
};

const wordsAt = (
  alternatives: readonly (readonly string[])[],
  tokens: readonly Token[],
  at: number,
): number =>
  alternatives.find((words) =>
    words.every((word, index) => {
      const token = tokens[at + index];
      return (
        token !== undefined &&
        (token.kind === "word" || token.kind === "mark") &&
        token.lower === word
      );
    }),
  )?.length ?? 0;

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
    if (wordsAt(current.words, tokens, at) > 0) return true;
    if (!current.isOptional) return false;
  }
  return at === tokens.length;
};
