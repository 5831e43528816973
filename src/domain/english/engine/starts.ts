import type { CompiledForm, Grammar, PhraseForms, Starts } from "./compiled.ts";
import { type FormSymbol, MODES, type VerbMode } from "./pattern.ts";
import { addAll, addClass, type Classes, doMeet, type Head } from "./vocabulary.ts";

/** The rows and words that can start a phrase in a mode. */
export const startsOf = (grammar: Grammar, phrase: PhraseForms, mode: VerbMode): Starts => {
  const known = phrase.starts.get(mode);
  if (known) return known;
  const all = grammar.vocabulary.emptySet();
  // A phrase that starts with itself adds nothing to its first words.
  phrase.starts.set(mode, { first: all, open: [], worded: [], byWord: new Map() });
  const open: CompiledForm[] = [];
  const worded: (readonly [CompiledForm, Classes])[] = [];
  for (const form of phrase.forms) {
    const first = firstOf(grammar, form.symbols, mode);
    if (first) {
      worded.push([form, first]);
      addAll(all, first);
    } else if (phrase.name !== "Command" || mode !== "told") {
      // A command without a verb is an order, and nothing that somebody is doing.
      open.push(form);
    }
  }
  const starts = { first: open.length > 0 ? null : all, open, worded, byWord: new Map() };
  phrase.starts.set(mode, starts);
  return starts;
};

/** The classes of the words that can start some symbols; null if they can start with a slot. */
const firstOf = (
  grammar: Grammar,
  symbols: readonly FormSymbol[],
  mode: VerbMode,
): Classes | null => {
  const found = grammar.vocabulary.emptySet();
  for (const symbol of symbols) {
    if (symbol.kind === "slot") return null;
    if (symbol.kind === "phrase") {
      const inner = grammar.phrases[symbol.id];
      const first = inner ? startsOf(grammar, inner, symbol.mode ?? mode).first : found;
      if (first === null) return null;
      addAll(found, first);
      return found;
    }
    for (const id of symbol.ids[mode]) addClass(found, id);
    if (!symbol.optional) return found;
  }
  return found;
};

/** The rows of a phrase that the entry of a vocabulary can start. */
export const formsAt = (starts: Starts, { node, classes }: Head): readonly CompiledForm[] => {
  const known = starts.byWord.get(node.id);
  if (known) return known;
  const forms = starts.worded.filter(([, first]) => doMeet(first, classes)).map(([form]) => form);
  starts.byWord.set(node.id, forms);
  return forms;
};

/** The classes of words that the chain of clauses expects behind a clause. */
const BEHIND_CLAUSE =
  "link_and sep trailing twice thrice times optionally in next_to to_verb after when before".split(
    " ",
  );

/** Finds the words that can stand behind each phrase: a row only ends in front of them. */
export const findFollows = (grammar: Grammar): void => {
  const { vocabulary, phrases, phraseIds } = grammar;
  const effect = phrases[phraseIds.get("Effect") ?? -1];
  for (const phrase of phrases) {
    phrase.follow = vocabulary.emptySet();
    for (const name of BEHIND_CLAUSE) addClass(phrase.follow, vocabulary.idOf(name));
    const outcome = effect && startsOf(grammar, effect, "third").first;
    if (outcome) addAll(phrase.follow, outcome);
  }
  const isInner = (symbol: FormSymbol) => symbol.kind === "phrase";
  const holding = grammar.forms.filter(({ symbols }) => symbols.some(isInner));
  let isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const form of holding) isChanged = passOn(grammar, form) || isChanged;
  }
};

/** Adds the following words to the phrases of a row. Returns whether that was new. */
const passOn = (grammar: Grammar, { symbols, of }: CompiledForm): boolean => {
  let isChanged = false;
  symbols.forEach((symbol, index) => {
    const inner = symbol.kind === "phrase" ? grammar.phrases[symbol.id] : undefined;
    if (!inner || inner.follow === null) return;
    const rest = symbols.slice(index + 1);
    const isLast = rest.every((each) => each.kind === "words" && each.optional);
    const before = inner.follow.join();
    for (const mode of MODES) {
      const first = firstOf(grammar, rest, mode);
      if (first === null || (isLast && of.follow === null)) {
        inner.follow = null;
        isChanged = true;
        return;
      }
      addAll(inner.follow, first);
    }
    if (isLast && of.follow) addAll(inner.follow, of.follow);
    if (inner.follow.join() !== before) isChanged = true;
  });
  return isChanged;
};
