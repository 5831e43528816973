import type { StepInput } from "../step.ts";
import { problemsOf } from "../vocabulary.ts";
import { quote, type Token } from "../words.ts";
import { actForms, placeDoubts, placeForms } from "./actForms.ts";
import { claimForms, placeClaims, waitForms } from "./claimForms.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import type { Mood } from "./lines.ts";
import { type Doubt, type Draft, type FormTable, formsFor, formTable, matchForm } from "./match.ts";
import { readSlot, type Slot, type SlotType } from "./slots.ts";

export type Context = { readonly mood: Mood | null; readonly isFirst: boolean };

export type ReadSentence =
  | { readonly ok: true; readonly steps: StepInput[] }
  | { readonly ok: false; readonly message: string; readonly suggestion: string | null };

/** Longer clauses are no instruction; quoted texts count as one word. */
const MAX_CLAUSE_WORDS = 40;
const MAX_REPEATS = 50;

const claims = formTable(claimForms);
const allForms = [...waitForms, ...actForms, ...claimForms];
const toGoTo = formTable([...placeForms, ...allForms]);
const toBeAt = formTable([...placeClaims, ...allForms]);
const unclearPlace = formTable([...placeDoubts, ...allForms]);

type Outcome =
  | { readonly kind: "step"; readonly draft: Draft; readonly lead: readonly Token[] }
  /** Not certain. `firm` ends the search: another form would be a guess. */
  | { readonly kind: "doubt"; readonly message: string; readonly firm: boolean }
  | { readonly kind: "unknown" };

/** Reads one sentence: all of its clauses, or none. */
export const readSentence = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): ReadSentence => {
  const sentence = withoutOptional(tokens);
  const clauses = clausesOf(sentence.tokens);
  const steps: StepInput[] = [];
  let previous: Previous | null = null;
  for (const [index, clause] of clauses.entries()) {
    const isLast = index === clauses.length - 1;
    if (!isLast && isConnector(clause, index === 0)) continue;
    const here = { ...context, isFirst: context.isFirst && steps.length === 0 };
    const read = readClause(clause, source, here, previous);
    if (read.kind !== "step") {
      return {
        ok: false,
        message: explain(read, clause, source),
        suggestion: quotedWhole(sentence.tokens, source),
      };
    }
    const [first] = clauses.length === 1 ? tokens : clause.tokens;
    const last = clauses.length === 1 ? tokens.at(-1) : clause.tokens.at(-1);
    const step: StepInput = {
      action: read.draft.action,
      target: read.draft.target ?? "",
      value: read.draft.value ?? "",
      description: source.slice(first?.start, last?.end),
      optional: sentence.isOptional,
      disabled: false,
    };
    const [problem] = problemsOf(step);
    if (problem) return { ok: false, message: problem.message, suggestion: null };
    for (let times = 0; times < read.times; times++) steps.push({ ...step });
    previous = { draft: read.draft, lead: read.lead, tokens: clause.tokens };
  }
  return { ok: true, steps };
};

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const mark = (token: Token | undefined): string => (token?.kind === "mark" ? token.text : "");

/** `Optionally, …`, `Optional: …`, `… (optional)`. */
const withoutOptional = (
  tokens: readonly Token[],
): { tokens: readonly Token[]; isOptional: boolean } => {
  const isBracket = (at: number) =>
    mark(tokens.at(at)) === "(" &&
    word(tokens.at(at + 1)) === "optional" &&
    mark(tokens.at(at + 2)) === ")";
  if (tokens.length > 3 && isBracket(0)) return { tokens: tokens.slice(3), isOptional: true };
  if (tokens.length > 3 && isBracket(-3)) return { tokens: tokens.slice(0, -3), isOptional: true };
  const isAdverb = word(tokens[0]) === "optionally";
  const isLabel = word(tokens[0]) === "optional" && mark(tokens[1]) === ":";
  if (!isAdverb && !isLabel) return { tokens, isOptional: false };
  const rest = tokens.slice(isLabel || mark(tokens[1]) === "," ? 2 : 1);
  return { tokens: rest, isOptional: true };
};

const HARD_CONNECTORS = new Set(["then", "please", "afterwards", "afterward", "and"]);
const SOFT_CONNECTORS = new Set(["now", "next", "finally", "also", "first", "lastly", "secondly"]);

/** `First, …`, `After that, …`: words that only join. A capital in mid-sentence is a name. */
const isConnector = ({ tokens }: Clause, isFirst: boolean): boolean => {
  const words = tokens
    .map((token) => (isFirst ? word(token) : token.kind === "word" ? token.text : ""))
    .join(" ");
  return (
    HARD_CONNECTORS.has(words) || SOFT_CONNECTORS.has(words) || /^after (?:that|this)$/.test(words)
  );
};

/** The clause before, of which "and …" may leave something unsaid. */
type Previous = {
  readonly draft: Draft;
  readonly lead: readonly Token[];
  readonly tokens: readonly Token[];
};

type Read = (Outcome & { kind: "step"; times: number }) | Exclude<Outcome, { kind: "step" }>;

const readClause = (
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

const isQuoted = (token: Token | undefined): boolean =>
  token?.kind === "quoted" || token?.kind === "literal" || token?.kind === "selector";

const spoken = (text: string): Token => ({ kind: "word", text, lower: text, start: 0, end: 0 });
const notSeen = ["should", "not", "see"].map(spoken);

/** `Click "+" 3 times`, `press Tab twice`. */
const withRepeats = (tokens: readonly Token[], source: string, context: Context): Read => {
  const last = word(tokens.at(-1));
  const count = /^times$/.test(last)
    ? Number(/^\d{1,3}$/.exec(word(tokens.at(-2)))?.[0] ?? NaN)
    : NaN;
  const times = last === "twice" ? 2 : count;
  if (!(times >= 1)) {
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

const CLAIMING = new Set([
  "verify",
  "verifies",
  "check",
  "checks",
  "ensure",
  "assert",
  "confirm",
  "expect",
  "validate",
  "see",
]);

/** `Verify that …`, `make sure …`: how many words only say that a claim follows. */
const claimLead = (tokens: readonly Token[]): number => {
  const isTwo = word(tokens[0]) === "make" && word(tokens[1]) === "sure";
  const length = isTwo ? 2 : CLAIMING.has(word(tokens[0])) ? 1 : 0;
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

const explain = (
  read: Exclude<Outcome, { kind: "step" }>,
  clause: Clause,
  source: string,
): string => {
  if (read.kind === "doubt") return read.message;
  const { tokens } = clause;
  const words = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const shown = words.length > 80 ? `${words.slice(0, 80)}…` : words;
  return clause.joint
    ? `"${shown}" is not an instruction that is understood. If it belongs to a name, put the whole name in quotes.`
    : "Not understood.";
};

/** `Click Terms and Conditions` → `Click "Terms and Conditions"`, when quotes are all that is missing. */
const quotedWhole = (tokens: readonly Token[], source: string): string | null => {
  if (tokens.length > MAX_CLAUSE_WORDS || tokens.some(isQuoted)) return null;
  const first = word(tokens[0]) === "i" ? 1 : 0;
  const verbs = /^(?:click|tap|tick|check|hover|see|should)$/;
  if (!verbs.test(word(tokens[first]))) return null;
  let at = first + 1;
  while (/^(?:not|see|on|over|the)$/.test(word(tokens[at]))) at++;
  const [name, last] = [tokens[at], tokens.at(-1)];
  if (!name || !last) return null;
  return `${source.slice(tokens[0]?.start, tokens[at - 1]?.end)} ${quote(source.slice(name.start, last.end))}`;
};
