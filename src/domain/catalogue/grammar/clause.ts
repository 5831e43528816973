import type { Token } from "../words.ts";
import { actForms, placeDoubts, placeForms } from "./actForms.ts";
import { claimForms } from "./claimForms.ts";
import type { Clause } from "./clauses.ts";
import type { Mood } from "./lines.ts";
import { type Doubt, type Draft, type FormTable, formsFor, formTable, matchForm } from "./match.ts";
import { placeClaims } from "./pageForms.ts";
import { readNumber, readSlot, type Slot, type SlotType } from "./slots.ts";
import { waitForms } from "./waitForms.ts";

/** Where in the test a clause stands. */
export type Context = { readonly mood: Mood | null; readonly isFirst: boolean };

/** Longer clauses are no instruction; quoted texts count as one word. */
export const MAX_CLAUSE_WORDS = 40;
const MAX_REPEATS = 50;

const claims = formTable(claimForms);
const allForms = [...waitForms, ...actForms, ...claimForms];
const toGoTo = formTable([...placeForms, ...allForms]);
const toBeAt = formTable([...placeClaims, ...allForms]);
const unclearPlace = formTable([...placeDoubts, ...allForms]);

/** What the forms make of a clause. */
export type Outcome =
  | { readonly kind: "step"; readonly draft: Draft; readonly lead: readonly Token[] }
  /** Not certain. `firm` ends the search: another form would be a guess. */
  | { readonly kind: "doubt"; readonly message: string; readonly firm: boolean }
  | { readonly kind: "unknown" };

/** A word in lower case; empty for anything else. */
export const word = (token: Token | undefined): string =>
  token?.kind === "word" ? token.lower : "";

/** Whether a token is a text that says itself where it ends. */
export const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal" || token?.kind === "selector";

/** Words that only join; the soft ones may as well start a name. */
export const HARD_CONNECTORS = new Set(["then", "please", "afterwards", "afterward", "and"]);
export const SOFT_CONNECTORS = new Set([
  "now",
  "next",
  "finally",
  "also",
  "first",
  "lastly",
  "secondly",
]);

/** The clause before, of which "and …" may leave something unsaid. */
export type Previous = {
  readonly draft: Draft;
  readonly lead: readonly Token[];
  readonly tokens: readonly Token[];
};

export type Read = (Outcome & { kind: "step"; times: number }) | Exclude<Outcome, { kind: "step" }>;

/** Reads one clause; what it leaves unsaid may stand in the one before. */
export const readClause = (
  clause: Clause,
  source: string,
  context: Context,
  previous: Previous | null,
): Read => {
  if (clause.tokens.length === 0)
    return { kind: "doubt", message: "Something is missing at its end.", firm: true };
  if (clause.tokens.length > MAX_CLAUSE_WORDS) {
    return {
      kind: "doubt",
      message: "Too long for one instruction: quote the texts in it.",
      firm: true,
    };
  }
  const own = withRepeats(clause.tokens, source, context);
  if (own.kind === "step" || (own.kind === "doubt" && own.firm)) return own;
  const shared = previous && readElliptical(clause, source, context, previous);
  return shared ?? own;
};

/** `and "pw" into Password`: what the clause before said is understood. Only with something in quotes. */
const readElliptical = (
  clause: Clause,
  source: string,
  context: Context,
  previous: Previous,
): Read | null => {
  const [first, second] = clause.tokens;
  const { action } = previous.draft;
  const once = (tokens: readonly Token[], isSame: (next: string) => boolean): Read | null => {
    const read = tryForms(tokens, source, context);
    return read.kind === "step" && isSame(read.draft.action) ? { ...read, times: 1 } : null;
  };
  if (clause.joint === "but") {
    const isNegated = word(first) === "not" && isQuoted(second) && action === "assert_visible";
    return isNegated ? once([...notSeen, ...clause.tokens.slice(1)], () => true) : null;
  }
  if (clause.tokens.some(isQuoted)) {
    return previous.lead.length > 0
      ? once([...previous.lead, ...clause.tokens], (next) => next === action)
      : null;
  }
  // `… should be visible and enabled`
  // A negation may reach over the "and", or not: that is no case for guessing.
  if (previous.tokens.some(({ lower }) => /^(?:not|no|longer)$|n't$/.test(lower))) return null;
  const isState = clause.tokens.length === 1 && STATES.test(word(first));
  if (!isState || !STATES.test(word(previous.tokens.at(-1)))) return null;
  return once([...previous.tokens.slice(0, -1), ...clause.tokens], (next) =>
    next.startsWith("assert_"),
  );
};

const STATES = /^(?:visible|hidden|enabled|disabled|checked|ticked|unchecked|unticked)$/;

const spoken = (text: string): Token => ({ kind: "word", text, lower: text, start: 0, end: 0 });
const notSeen = ["should", "not", "see"].map(spoken);

/** `Click "+" 3 times`, `press Tab twice`. */
const withRepeats = (tokens: readonly Token[], source: string, context: Context): Read => {
  const last = word(tokens.at(-1));
  const times = last === "twice" ? 2 : last === "times" ? readNumber(word(tokens.at(-2))) : null;
  if (times === null || times < 1) {
    const read = readVariants(tokens, source, context);
    return read.kind === "step" ? { ...read, times: 1 } : read;
  }
  const read = readVariants(tokens.slice(0, last === "twice" ? -1 : -2), source, context);
  if (read.kind !== "step") return read;
  if (times > MAX_REPEATS || !["click", "press"].includes(read.draft.action)) {
    return {
      kind: "doubt",
      message: `Only a click or a key can be repeated, up to ${MAX_REPEATS} times.`,
      firm: true,
    };
  }
  return { ...read, times };
};

const SUBJECTS = new Set(["i", "we", "you"]);
const ADVERBS = new Set(["then", "also", "now", "next", "will", "finally"]);

/** Tries the clause as it is, then without the words that say who acts and when. */
const readVariants = (tokens: readonly Token[], source: string, context: Context): Outcome => {
  let bare = tokens;
  while (bare.length > 1 && HARD_CONNECTORS.has(word(bare[0]))) bare = bare.slice(1);
  if (SUBJECTS.has(word(bare[0]))) bare = withoutAdverb(bare.slice(1));
  const variants = [bare];
  if (bare.length > 1 && SOFT_CONNECTORS.has(word(bare[0]))) {
    const rest = bare.slice(1);
    variants.push(SUBJECTS.has(word(rest[0])) ? withoutAdverb(rest.slice(1)) : rest);
  }
  const start = /^(?:the|a)$/.test(word(bare[0])) ? 1 : 0;
  if (word(bare[start]) === "user") variants.push(withoutAdverb(bare.slice(start + 1)));
  let softest: Outcome = { kind: "unknown" };
  for (const variant of variants) {
    const outcome = tryForms(variant, source, context);
    if (outcome.kind === "step" || (outcome.kind === "doubt" && outcome.firm)) return outcome;
    if (outcome.kind === "doubt" && softest.kind === "unknown") softest = outcome;
  }
  return softest;
};

const withoutAdverb = (tokens: readonly Token[]): readonly Token[] =>
  ADVERBS.has(word(tokens[0])) ? tokens.slice(1) : tokens;

const CLAIMING = new Set(
  "verify verifies check checks ensure assert confirm expect validate see".split(" "),
);

/** `Verify that …`, `make sure …`: how many words only say that a claim follows. */
const claimLead = (tokens: readonly Token[]): number => {
  const [one, two, three] = tokens.slice(0, 3).map(word);
  const isTwo = one === "make" && two === "sure";
  const isSeeing = (one === "should" || one === "can") && two === "see" && three === "that";
  const length = isTwo || isSeeing ? 2 : CLAIMING.has(word(tokens[0])) ? 1 : 0;
  if (length === 0) return 0;
  const joined = length + (/^(?:that|if|whether)$/.test(word(tokens[length])) ? 1 : 0);
  return joined + (SUBJECTS.has(word(tokens[joined])) ? 1 : 0);
};

const tryForms = (tokens: readonly Token[], source: string, context: Context): Outcome => {
  const lead = claimLead(tokens);
  if (lead > 0 && lead < tokens.length) {
    const claimed = search(claims, tokens.slice(lead), source);
    if (claimed.kind === "step")
      return { ...claimed, lead: [...tokens.slice(0, lead), ...claimed.lead] };
    if (claimed.kind === "doubt" && claimed.firm) return claimed;
  }
  const place =
    context.mood === "then"
      ? toBeAt
      : context.mood === "given" || context.isFirst
        ? toGoTo
        : unclearPlace;
  return search(place, tokens, source);
};

const search = (table: FormTable, tokens: readonly Token[], source: string): Outcome => {
  const memory = new Map<string, Slot | null>();
  const readAt = (type: SlotType, at: number, end: number): Slot | null => {
    const key = `${type} ${at} ${end}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const read = readSlot(type, tokens.slice(at, end), source);
    memory.set(key, read);
    return read;
  };
  let soft: Outcome = { kind: "unknown" };
  for (const form of formsFor(table, tokens)) {
    const { built, lead } = matchForm(form, tokens, readAt);
    const drafts = built.filter((one): one is Draft => !("doubt" in one));
    const doubts = built.filter((one): one is Doubt => "doubt" in one);
    const [draft] = drafts;
    if (draft && drafts.length === 1 && doubts.length === 0) {
      return { kind: "step", draft, lead: tokens.slice(0, lead) };
    }
    if (drafts.length > 0) {
      return {
        kind: "doubt",
        message: "It can be read in more than one way: put names and texts in quotes.",
        firm: true,
      };
    }
    const [doubt] = doubts;
    if (doubt?.firm) return { kind: "doubt", message: doubt.doubt, firm: true };
    if (doubt && soft.kind === "unknown")
      soft = { kind: "doubt", message: doubt.doubt, firm: false };
  }
  return soft;
};
