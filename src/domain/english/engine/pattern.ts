import type { Rule, SlotReader } from "./types.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The forms in which a verb may stand: an order, a gerund, or the base form behind an auxiliary. */
export const MODES = ["order", "gerund", "base", "third", "told"] as const;
export type VerbMode = (typeof MODES)[number];

export const VERB_FORMS = ["base", "third", "past", "participle", "gerund"] as const;
export type VerbForm = (typeof VERB_FORMS)[number];

const FORMS_OF: Readonly<Record<VerbMode, readonly VerbForm[]>> = {
  order: ["base", "third", "past", "participle"],
  gerund: ["gerund"],
  base: ["base"],
  third: ["base", "third", "past"],
  told: ["third", "past"],
};

/** The classes whose words a symbol takes, by mode. */
type IdsByMode = Readonly<Record<VerbMode, readonly number[]>>;

/**
 * A symbol of a form. Words are classes of the vocabulary; a slot reads a span of any words; a phrase is another rule.
 */
export type FormSymbol =
  | {
      readonly kind: "words";
      readonly ids: IdsByMode;
      readonly optional: boolean;
      readonly label: string;
    }
  | { readonly kind: "slot"; readonly slot: number; readonly label: string }
  | {
      readonly kind: "phrase";
      readonly phrase: string;
      /** The number of the phrase in the grammar. */
      readonly id: number;
      readonly label: string;
      readonly mode: "gerund" | null;
    };

/** A symbol that stands in every sentence of a form, at least so many tokens behind its start. */
type Need = {
  readonly symbol: Exclude<FormSymbol, { kind: "slot" }>;
  readonly behind: number;
};

/** A row of a rule table, ready for the chart. */
export type Form = {
  readonly id: number;
  readonly rule: Rule;
  readonly symbols: readonly FormSymbol[];
  /** The rule as `npm run english:explain` names it. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** The continuations of the row: indices into `Grammar.forms`. */
  again: readonly number[];
};

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
      return { kind: "slot", slot: index, label: slot[2] ?? slot[1] ?? "" };
    }
    const phrase = /^\((\w+)(?::(\w+))?\)$/.exec(part);
    if (phrase) {
      const mode = (phrase[2] ?? null) as "gerund" | null;
      const name = phrase[1] ?? "";
      return { kind: "phrase", phrase: name, id: phraseId(name), label: name, mode };
    }
    const optional = part.length > 1 && part.endsWith("?");
    const said = optional ? part.slice(0, -1) : part;
    return { kind: "words", ids: idsOf(said, vocabulary), optional, label: said };
  });

/** The classes of `one|other`: of a verb those that the mode allows, of plain words one class of their own. */
const idsOf = (said: string, vocabulary: Vocabulary): IdsByMode => {
  const alternatives = said.split("|");
  const plain = alternatives.filter((each) => !each.startsWith("<"));
  const own = plain.length === 0 ? [] : [ownClass(plain, vocabulary)];
  const named = alternatives
    .filter((each) => each.startsWith("<"))
    .map((each) => each.slice(1, -1));
  const idsIn = (mode: VerbMode): readonly number[] => [
    ...own,
    ...named.flatMap((name) => classIds(name, mode, vocabulary)),
  ];
  const order = idsIn("order");
  const isVerb = named.some((name) => vocabulary.idOf(`${name}/base`) >= 0);
  return isVerb
    ? { ...byMode(idsIn), order }
    : { order, gerund: order, base: order, third: order, told: order };
};

const byMode = (idsIn: (mode: VerbMode) => readonly number[]): IdsByMode =>
  Object.fromEntries(MODES.map((mode) => [mode, idsIn(mode)])) as IdsByMode;

const ownClass = (words: readonly string[], vocabulary: Vocabulary): number => {
  const name = `=${words.join("|")}`;
  const known = vocabulary.idOf(name);
  return known >= 0
    ? known
    : vocabulary.add(
        name,
        words.map((each) => each.replaceAll("_", " ")),
      );
};

/** The classes of `<name>` or `<name:form>`. Throws Error if there is none. */
const classIds = (name: string, mode: VerbMode, vocabulary: Vocabulary): readonly number[] => {
  const [verb = "", form] = name.split(":");
  if (form) return [known(vocabulary, `${verb}/${form}`)];
  if (vocabulary.idOf(`${verb}/base`) < 0) return [known(vocabulary, verb)];
  return FORMS_OF[mode].map((each) => known(vocabulary, `${verb}/${each}`));
};

const known = (vocabulary: Vocabulary, name: string): number => {
  const id = vocabulary.idOf(name);
  if (id < 0) throw new Error(`Unknown class <${name}>.`);
  return id;
};

/** The words and phrases without which no sentence has the form. */
export const needsOf = (symbols: readonly FormSymbol[]): readonly Need[] => {
  const needs: Need[] = [];
  let behind = 0;
  for (const symbol of symbols) {
    if (symbol.kind === "words" && symbol.optional) continue;
    if (symbol.kind !== "slot") needs.push({ symbol, behind });
    behind++;
  }
  return needs;
};
