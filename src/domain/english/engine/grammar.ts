import type { CompiledForm, Grammar, PhraseForms } from "./compiled.ts";
import { compileForm, needsOf, type SlotTable, VERB_FORMS, type VerbForm } from "./pattern.ts";
import { findFollows } from "./starts.ts";
import { compileTemplate } from "./templates.ts";
import type { Rule } from "./types.ts";
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";

/** A language as data: its words, rows and readers of slots. */
export type LanguageData = {
  readonly verbs: Readonly<Record<string, string>>;
  readonly inflect: (entry: string, form: VerbForm) => string;
  readonly classes: Readonly<Record<string, string>>;
  readonly auxiliaries: Readonly<Record<string, readonly string[]>>;
  readonly rules: readonly Rule[];
  readonly slots: SlotTable;
  readonly misspellings: ReadonlyMap<string, string>;
};

const PASSIVE_SLOTS =
  /^(<(?:click|double|right|hover|fill|select|tick|untick|upload|press|follow|enable|disable)>) (?:\S+\? )?(\{(?:element|elements|text|field|option|tickable|choice|box)(?::\w+)?\})((?: .+)?)$/;

/** The passive of a command: `<click> {target}` → `{target} <passive> <click:participle>`. Null if it has none. */
const passiveOf = (rule: Rule): Rule | null => {
  const found = rule.phrase === "Command" ? PASSIVE_SLOTS.exec(rule.form) : null;
  if (!found) return null;
  const [, verb = "", slot = "", rest = ""] = found;
  const form = `${slot} <passive> ${verb.replace(">", ":participle>")}${rest}`;
  return { ...rule, form, again: [], cost: (rule.cost ?? 0) + 0.5, examples: [] };
};

const fillVocabulary = (data: LanguageData): Vocabulary => {
  const vocabulary = createVocabulary();
  for (const [name, line] of Object.entries(data.verbs)) {
    const entries = line.split(",").map((entry) => entry.trim());
    for (const form of VERB_FORMS) {
      vocabulary.add(
        `${name}/${form}`,
        entries.map((entry) => data.inflect(entry, form)),
      );
    }
  }
  for (const [name, line] of Object.entries(data.classes)) {
    const entries = name === "sep" ? line.split(" ") : line.split(/,(?= |$)/);
    vocabulary.add(
      name,
      entries.map((entry) => entry.trim()).filter((entry) => entry !== ""),
    );
  }
  for (const [name, entries] of Object.entries(data.auxiliaries)) vocabulary.add(name, entries);
  return vocabulary;
};

/** Compiles a language. Throws Error if a row names an unknown class, slot or phrase. */
export const compileGrammar = (data: LanguageData): Grammar => {
  const vocabulary = fillVocabulary(data);
  const slotNames = Object.keys(data.slots);
  const forms: CompiledForm[] = [];
  const phraseIds = new Map<string, number>();
  const phrases: PhraseForms[] = [];
  const phraseOf = (name: string): PhraseForms => {
    const known = phrases[phraseIds.get(name) ?? -1];
    if (known) return known;
    phraseIds.set(name, phrases.length);
    const made = { name, forms: [], starts: new Map(), follow: null };
    phrases.push(made);
    return made;
  };
  const phraseId = (name: string): number => phrases.indexOf(phraseOf(name));
  const add = (rule: Rule, text: string, phrase: string, steps: string): CompiledForm => {
    const symbols = compileForm(text, vocabulary, slotNames, phraseId);
    const form: CompiledForm = {
      id: forms.length,
      rule: { ...rule, form: text, phrase },
      symbols,
      name: `${phrase}: ${text}`,
      needs: needsOf(symbols),
      again: [],
      steps: compileTemplate(steps),
      of: phraseOf(phrase),
    };
    forms.push(form);
    form.of.forms.push(form);
    return form;
  };
  const rules = data.rules.flatMap((rule): readonly Rule[] => {
    const passive = passiveOf(rule);
    return passive ? [rule, passive] : [rule];
  });
  for (const rule of rules) {
    const form = add(rule, rule.form, rule.phrase, rule.steps);
    if (rule.no !== undefined) add(rule, rule.form, `Not${rule.phrase}`, rule.no);
    const again = (rule.again ?? []).map((each) => {
      const [text = "", steps = rule.steps] = each.split(" => ");
      return add(rule, text, `Again${form.id}`, steps);
    });
    form.again = again.map(({ id }) => id);
    for (const each of again) each.again = form.again;
  }
  const grammar: Grammar = {
    vocabulary,
    slots: Object.values(data.slots),
    slotNames,
    phraseIds,
    phrases,
    forms,
    misspellings: data.misspellings,
  };
  findFollows(grammar);
  return grammar;
};
