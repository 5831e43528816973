import type { Rule, SlotReader } from "./types.ts";
import type { Vocabulary } from "./vocabulary.ts";

/**
 * A symbol of a form. Words are a class of the vocabulary; a slot reads a span of any words; a phrase is another rule.
 */
export type FormSymbol =
  | {
      readonly kind: "words";
      readonly id: number;
      readonly optional: boolean;
      readonly label: string;
    }
  | { readonly kind: "verb"; readonly ids: readonly number[]; readonly label: string }
  | { readonly kind: "slot"; readonly slot: number; readonly label: string; readonly key: number }
  | {
      readonly kind: "phrase";
      readonly phrase: string;
      readonly label: string;
      readonly mode: "gerund" | null;
    };

/** A row of a rule table, ready for the chart. */
export type Form = {
  readonly id: number;
  readonly rule: Rule;
  readonly symbols: readonly FormSymbol[];
  /** Classes of which one must stand in the sentence; empty if the form begins with one. */
  readonly anchor: number;
  /** The continuations of the row: indices into `Grammar.forms`. */
  again: readonly number[];
};

export const VERB_FORMS = ["base", "third", "past", "participle", "gerund"] as const;

export type SlotTable = Readonly<Record<string, SlotReader>>;

/**
 * Reads the notation of a form: `word`, `one|other`, `two_words`, `<class>`, `<verb>`, `{slot}`, `{slot:label}`, `(Phrase)`;
 * a `?` behind words makes them optional. Throws Error for an unknown class or slot: the table is wrong.
 */
export const compileForm = (
  form: string,
  vocabulary: Vocabulary,
  slots: readonly string[],
): FormSymbol[] =>
  form.split(" ").map((part): FormSymbol => {
    const slot = /^\{(\w+)(?::(\w+))?\}$/.exec(part);
    if (slot) {
      const index = slots.indexOf(slot[1] ?? "");
      if (index < 0) throw new Error(`Unknown slot ${part} in "${form}".`);
      return { kind: "slot", slot: index, label: slot[2] ?? slot[1] ?? "", key: index };
    }
    const phrase = /^\((\w+)(?::(\w+))?\)$/.exec(part);
    if (phrase) {
      const mode = (phrase[2] ?? null) as "gerund" | null;
      return { kind: "phrase", phrase: phrase[1] ?? "", label: phrase[1] ?? "", mode };
    }
    const optional = part.length > 1 && part.endsWith("?");
    const said = optional ? part.slice(0, -1) : part;
    const named = /^<(\w+)(?::(\w+))?>$/.exec(said);
    if (named) {
      const [, name = "", form] = named;
      if (form)
        return { kind: "words", id: known(vocabulary, `${name}/${form}`), optional, label: said };
      const ids = VERB_FORMS.map((each) => vocabulary.idOf(`${name}/${each}`));
      if (ids.every((id) => id >= 0) && !optional) return { kind: "verb", ids, label: said };
      return { kind: "words", id: known(vocabulary, name), optional, label: said };
    }
    const entries = said.split("|").map((each) => each.replaceAll("_", " "));
    return { kind: "words", id: vocabulary.add(`=${said}`, entries), optional, label: said };
  });

const known = (vocabulary: Vocabulary, name: string): number => {
  const id = vocabulary.idOf(name);
  if (id < 0) throw new Error(`Unknown class <${name}>.`);
  return id;
};

/** The class that every sentence of the form has in it; -1 if there is none. */
export const anchorOf = (symbols: readonly FormSymbol[]): number => {
  for (const symbol of symbols) {
    if (symbol.kind === "words" && !symbol.optional) return symbol.id;
  }
  return -1;
};
