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
      /** The number of the phrase in the grammar. */
      readonly id: number;
      readonly label: string;
      readonly mode: "gerund" | null;
    };

type Need = { readonly id: number; readonly behind: number };

/** A row of a rule table, ready for the chart. */
export type Form = {
  readonly id: number;
  readonly rule: Rule;
  readonly symbols: readonly FormSymbol[];
  /** The rule as `npm run english:explain` names it. */
  readonly name: string;
  /** Classes that every sentence of the form has, each at least so many tokens behind its start. */
  readonly needs: readonly Need[];
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
  phraseId: (phrase: string) => number,
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
      const name = phrase[1] ?? "";
      return { kind: "phrase", phrase: name, id: phraseId(name), label: name, mode };
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
    const alternatives = said.split("|");
    if (alternatives.some((each) => isVerb(each, vocabulary))) {
      const ids = VERB_FORMS.map((form) =>
        vocabulary.add(
          `=${said}/${form}`,
          alternatives.flatMap((each) => alternativeEntries(each, vocabulary, form)),
        ),
      );
      return { kind: "verb", ids, label: said };
    }
    const entries = alternatives.flatMap((each) => alternativeEntries(each, vocabulary, "base"));
    return { kind: "words", id: vocabulary.add(`=${said}`, entries), optional, label: said };
  });

const isVerb = (part: string, vocabulary: Vocabulary): boolean =>
  part.startsWith("<") && vocabulary.idOf(`${part.slice(1, -1)}/base`) >= 0;

/** The entries of one alternative: of a class, of a verb in one form, or its own words. */
const alternativeEntries = (
  part: string,
  vocabulary: Vocabulary,
  form: (typeof VERB_FORMS)[number],
): readonly string[] => {
  if (!part.startsWith("<")) return [part.replaceAll("_", " ")];
  const name = part.slice(1, -1);
  const isVerbClass = isVerb(part, vocabulary);
  return vocabulary.entriesOf(known(vocabulary, isVerbClass ? `${name}/${form}` : name));
};

const known = (vocabulary: Vocabulary, name: string): number => {
  const id = vocabulary.idOf(name);
  if (id < 0) throw new Error(`Unknown class <${name}>.`);
  return id;
};

/** The classes without which no sentence has the form. */
export const needsOf = (symbols: readonly FormSymbol[]): readonly Need[] => {
  const needs: Need[] = [];
  let behind = 0;
  for (const symbol of symbols) {
    if (symbol.kind === "words" && symbol.optional) continue;
    if (symbol.kind === "words") needs.push({ id: symbol.id, behind });
    behind++;
  }
  return needs;
};
