import { findKind } from "../catalogue/kinds.ts";
import type { StepInput } from "../catalogue/step.ts";
import { problemsOf } from "../catalogue/vocabulary.ts";
import { readClause } from "./clause.ts";
import { type Clause, clausesOf } from "./clauses.ts";
import { CUE } from "./cueBits.ts";
import { doubtOf } from "./doubts.ts";
import type { Previous } from "./elliptical.ts";
import type { Draft } from "./formTables.ts";
import { isClaimSplit } from "./objectLists.ts";
import { HARD_CONNECTORS, isQuoted, SOFT_CONNECTORS, word } from "./phrases.ts";
import { withoutCourtesy } from "./polite.ts";
import { type Reader, readerOf } from "./reader.ts";
import { type Context, MAX_CLAUSE_WORDS, MAX_CLAUSES, type Outcome, readWhole } from "./search.ts";
import { placedAlike } from "./sharedPlaces.ts";
import { quote, type Token } from "./words.ts";

export type ReadSentence =
  | { readonly ok: true; readonly steps: StepInput[] }
  | { readonly ok: false; readonly message: string; readonly suggestion: string | null };

/** Reads one sentence: all of its clauses, or none. */
export const readSentence = (
  tokens: readonly Token[],
  given: Reader,
  context: Context,
): ReadSentence => {
  const { source } = given;
  const optional = (given.cues & CUE.optional) === 0 ? null : withoutOptional(tokens);
  const sentence = {
    isOptional: optional?.isOptional ?? false,
    tokens: withoutCourtesy(optional?.tokens ?? tokens),
  };
  // Courtesy may leave a verb in another form than it was written in.
  const reader = sentence.tokens === tokens ? given : readerOf(source);
  const whole = (reader.cues & CUE.whole) === 0 ? null : readWhole(sentence.tokens, reader);
  if (whole) {
    const step = stepOf(
      whole,
      source.slice(tokens[0]?.start, tokens.at(-1)?.end),
      sentence.isOptional,
      sentence.tokens[0],
    );
    const [problem] = problemsOf(step);
    return problem
      ? { ok: false, message: problem.message, suggestion: null }
      : { ok: true, steps: [step] };
  }
  const isOne = (reader.cues & CUE.joint) === 0;
  const clauses = isOne ? [{ tokens: sentence.tokens, joint: "" }] : clausesOf(sentence.tokens);
  if (clauses.length > MAX_CLAUSES) {
    return { ok: false, message: "Too much for one sentence: divide it.", suggestion: null };
  }
  const steps: StepInput[] = [];
  const done: Clause[] = [];
  let previous: Previous | null = context.last
    ? { draft: context.last, lead: [], tokens: [] }
    : null;
  let isInFrame = false;
  let isTold = false;
  let isTicked = false;
  for (const [index, clause] of clauses.entries()) {
    const isLast = index === clauses.length - 1;
    if (!isLast && isConnector(clause, index === 0)) continue;
    const here: Context = {
      mood: context.mood,
      isFirst: context.isFirst && steps.length === 0,
    };
    if (previous !== null && isNameBehind(clause, previous.draft)) {
      return {
        ok: false,
        message: "It is not clear whether this is its name: leave out the comma, or say and.",
        suggestion: null,
      };
    }
    const read = readClause(clause, reader, here, previous);
    if (read.kind !== "step") {
      return {
        ok: false,
        message: explain(read, clause, source),
        suggestion: quotedWhole(sentence.tokens, source),
      };
    }
    const [first] = clauses.length === 1 ? tokens : clause.tokens;
    const last = clauses.length === 1 ? tokens.at(-1) : clause.tokens.at(-1);
    const description = source.slice(first?.start, last?.end);
    // `… then go back to the main page`, from within a frame.
    const isOut: boolean =
      isInFrame && read.draft.action === "navigate" && read.draft.value === "/";
    const draft: Draft | { readonly doubt: string } = isOut
      ? { action: "switch_frame" }
      : deedOr(read, clause.tokens, here, isLast);
    if ("doubt" in draft) return { ok: false, message: draft.doubt, suggestion: null };
    const doubt = doubtOf(draft, clause.tokens, here.mood);
    if (doubt !== null) return { ok: false, message: doubt, suggestion: null };
    if (draft.action === "switch_frame") isInFrame = (draft.target ?? "") !== "";
    isTold ||=
      clauses.length > 1 &&
      PASSIVE.test(word(clause.tokens.at(-1))) &&
      !draft.action.startsWith("assert_");
    isTicked ||= draft.action === "assert_checked" || draft.action === "assert_unchecked";
    const step = stepOf(draft, description, sentence.isOptional, clauses[0]?.tokens[0]);
    const [problem] = problemsOf(step);
    if (problem) return { ok: false, message: problem.message, suggestion: null };
    done.push(clause);
    const alike = steps.length + 1 === done.length ? placedAlike(steps, done, step) : null;
    if (alike) steps.splice(0, steps.length, ...alike);
    steps.push(step);
    for (let times = 1; times < read.times; times++) steps.push(describedAs(step, description));
    previous = { draft, lead: read.lead, tokens: clause.tokens };
  }
  // `A is ticked and B is pressed`: is it done, or claimed?
  if (isTold && isTicked) {
    return { ok: false, message: "Say tick, or that it should be ticked.", suggestion: null };
  }
  if (isClaimSplit(sentence.tokens, steps)) {
    return { ok: false, message: "Say of each of them what should be so.", suggestion: null };
  }
  return { ok: true, steps };
};

/** `Click the button, "Save"`: the name of what was named before by its kind alone, or another thing? */
const isNameBehind = ({ tokens, joint }: Clause, { target = "" }: Draft): boolean =>
  joint === "," &&
  tokens.length === 1 &&
  tokens[0]?.kind === "quoted" &&
  findKind(target) !== null &&
  target === target.toLowerCase();

/** `the "Progress" slider gets set to 80`: below When it is done. */
const SET = /\b(?:is|are|was|were|gets|get|has been|have been) (?:set|changed|moved|dragged) to\b/;

/** `is filled with`, `was cleared`: what was done, or how it stands. */
const FILLED = /\b(?:is|are|was|were) (?:filled|cleared|emptied|entered|typed|inserted)\b/;

/**
 * What is done to a field, where a claim was read that says it in the passive: below When and Given it is a deed,
 * below Then a claim, and without either nobody knows.
 */
const deedOr = (
  { draft, lead }: { readonly draft: Draft; readonly lead: readonly Token[] },
  tokens: readonly Token[],
  { mood }: Context,
  isLast: boolean,
): Draft | { readonly doubt: string } => {
  if (lead.length > 0 || mood === "then") return draft;
  if (draft.action !== "assert_value" && mood !== "when") return orDoubted(draft, tokens, isLast);
  const said = tokens.map(word).join(" ");
  if (draft.action === "assert_value" && FILLED.test(said)) {
    if (mood === null) return { doubt: "Say fill or clear, or that it should be so." };
    const target = draft.target ?? "";
    return draft.value
      ? { action: "fill", target, value: draft.value }
      : { action: "clear", target };
  }
  if (mood === "when" && CHOSEN.test(said)) {
    const target = draft.target ?? "";
    if (draft.action === "assert_checked") return { action: "check", target };
    if (draft.action === "assert_value" && draft.value) {
      return { action: "select", target, value: draft.value };
    }
  }
  if (mood === "when" && draft.action === "assert_value" && draft.value && SET.test(said)) {
    return { action: "fill", target: draft.target ?? "", value: draft.value };
  }
  return orDoubted(draft, tokens, isLast);
};

/** `qty = 3` before something that is done is no claim for certain. */
const orDoubted = (
  draft: Draft,
  tokens: readonly Token[],
  isLast: boolean,
): Draft | { readonly doubt: string } => {
  const isClaim = draft.action === "assert_text" || draft.action === "assert_value";
  if (isClaim && !isLast && tokens.some(({ text }) => text === "=")) {
    return { doubt: "Say fill, or that it should be so." };
  }
  return draft;
};

/** `When "Business" is selected in the "Account type" dropdown`: below When it is done. */
const CHOSEN = /\bis (?:selected|chosen|checked|ticked)\b/;

const PASSIVE = /^(?:clicked|pressed|tapped|double-clicked|right-clicked)$/;

const stepOf = (
  draft: Draft,
  description: string,
  optional: boolean,
  opening: Token | undefined,
): StepInput => ({
  action: draft.action,
  target: plainTarget(draft.target ?? "", opening),
  value: draft.value ?? "",
  description,
  optional,
  disabled: false,
});

/** The same step with other words for it. Written out: a copy by spreading has no certain shape. */
export const describedAs = (step: StepInput, description: string): StepInput => ({
  action: step.action,
  target: step.target,
  value: step.value,
  description,
  optional: step.optional,
  disabled: step.disabled,
});

/** A kind that nothing names and that opens the sentence has its capital from there: `Header shows …` is the header. */
const plainTarget = (target: string, opening: Token | undefined): string => {
  const isCapital = opening?.kind === "word" && opening.text === target && target !== opening.lower;
  return isCapital && findKind(opening.lower) !== null ? opening.lower : target;
};

const mark = (token: Token | undefined): string => (token?.kind === "mark" ? token.text : "");

const isInBrackets = (tokens: readonly Token[], at: number): boolean =>
  mark(tokens.at(at)) === "(" &&
  word(tokens.at(at + 1)) === "optional" &&
  mark(tokens.at(at + 2)) === ")";

/** `Optionally, …`, `Optional: …`, `… (optional)`. */
const withoutOptional = (
  tokens: readonly Token[],
): { tokens: readonly Token[]; isOptional: boolean } => {
  if (tokens.length > 3 && isInBrackets(tokens, 0)) {
    return { tokens: tokens.slice(3), isOptional: true };
  }
  if (tokens.length > 3 && isInBrackets(tokens, -3)) {
    return { tokens: tokens.slice(0, -3), isOptional: true };
  }
  const isAdverb = word(tokens[0]) === "optionally";
  const isLabel = word(tokens[0]) === "optional" && mark(tokens[1]) === ":";
  if (!isAdverb && !isLabel) return { tokens, isOptional: false };
  const rest = tokens.slice(isLabel || mark(tokens[1]) === "," ? 2 : 1);
  return { tokens: rest, isOptional: true };
};

/** `First, …`, `After that, …`: words that only join. A capital in mid-sentence is a name. */
const isConnector = ({ tokens }: Clause, isFirst: boolean): boolean => {
  const words = tokens
    .map((token) => (isFirst ? word(token) : token.kind === "word" ? token.text : ""))
    .join(" ");
  return (
    HARD_CONNECTORS.has(words) ||
    SOFT_CONNECTORS.has(words) ||
    /^after (?:that|this)$/.test(words) ||
    PAGE_LOADED.test(words.toLowerCase()) ||
    (isFirst && /^(?:i|we|you|they|(?:the )?user)$/.test(words)) ||
    /^(?:i |we )?(?:open|launch|start)(?: up)? (?:(?:(?:the|a|your|any)(?: new)? )?(?:web )?browser(?: window)?|(?:the )?(?:google )?chrome|(?:mozilla )?firefox|safari|(?:microsoft )?edge|chromium)(?: browser)?$/i.test(
      words,
    )
  );
};

/** Every step waits for the page anyway. */
const PAGE_LOADED =
  /^(?:once|when|after|as soon as) (?:the )?(?:new |next )?(?:page|screen|app|application|site|website|home page|homepage) (?:has |is |finishes )?(?:loads|loaded|loading|opens|open|opened|appears|ready|fully loaded|finished loading)$/;

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
