import type { StepInput } from "../step.ts";
import { type Token, tokenize } from "../words.ts";
import { mayMention, withMentioned } from "./anaphora.ts";
import { arrowed, cutBehindDeed, keysAlone, menuPath, namedAlone, separated } from "./chains.ts";
import { sentencesOf, withoutComment } from "./clauses.ts";
import type { Mood } from "./lines.ts";
import { placedFirst, stepsIn } from "./placed.ts";
import { withoutCourtesy } from "./polite.ts";
import { type Reader, readerOf } from "./reader.ts";
import { partsOf, withoutRemark } from "./remarks.ts";
import { restated } from "./restate.ts";
import { rewritten } from "./rewrite.ts";
import { whenSeen } from "./rewriteOrder.ts";
import type { Context } from "./search.ts";
import { type ReadSentence, readSentence } from "./sentence.ts";
import { mended } from "./typos.ts";

/** Reads a sentence, or all those that it means; what a person wrote stays the description. */
const readAll = (tokens: readonly Token[], reader: Reader, context: Context): ReadSentence => {
  const { source } = reader;
  const polite = withoutCourtesy(tokens);
  const said =
    rewritten(polite, source) ?? (context.mood === "when" ? whenSeen(polite, source) : null);
  if (!said) return readSentence(tokens, reader, context);
  const words = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps: StepInput[] = [];
  for (const sentence of said) {
    const read = readSentence(tokenize(sentence).tokens, readerOf(sentence), {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
      last: steps.at(-1) ?? context.last ?? null,
    });
    // Not one of these after all: what was written says best what is wrong with it.
    if (!read.ok) return readSentence(tokens, reader, context);
    steps.push(...read.steps.map((step) => ({ ...step, description: words })));
  }
  return { ok: true, steps };
};

type InParts = {
  readonly steps: StepInput[];
  readonly warned: readonly { readonly message: string; readonly said: string }[];
};

/** What is understood of a sentence by its parts, and what is not: a remark, what stands between semicolons. */
const readParts = (tokens: readonly Token[], reader: Reader, context: Context): InParts => {
  const { source } = reader;
  const steps: StepInput[] = [];
  const warned: { message: string; said: string }[] = [];
  for (const one of partsOf(tokens) ?? [tokens]) {
    const expected = partsOf(tokens) ? expectationIn(one) : 0;
    const part = one.slice(expected);
    const here = { ...context, isFirst: context.isFirst && steps.length === 0 };
    const said = source.slice(part[0]?.start, part.at(-1)?.end);
    const there = expected > 0 ? { ...here, mood: "then" as const } : here;
    const whole = one === tokens ? null : readAll(part, reader, there);
    if (one !== tokens && !whole?.ok) {
      const plain = readPlainly(part, source, there, expected > 0);
      if (plain) {
        steps.push(...plain.map((step) => ({ ...step, description: said })));
        continue;
      }
    }
    if (whole?.ok) {
      steps.push(...whole.steps);
      continue;
    }
    const remark = withoutRemark(part, source);
    const rest = remark && readAll(remark.tokens, readerOf(source), here);
    if (rest?.ok) steps.push(...rest.steps);
    warned.push({
      message: rest?.ok ? (remark?.message ?? "") : (whole?.message ?? "Not understood."),
      said,
    });
  }
  return { steps, warned };
};

/** What a sentence comes to that no form takes as it is, and what a person is told of it. */
type Otherwise = { readonly steps: readonly StepInput[]; readonly message: string | null };

const certain = (steps: readonly StepInput[] | null): Otherwise | null =>
  steps && steps.length > 0 ? { steps, message: null } : null;

/** Reads a text that nobody wrote; null when it is not understood in whole. */
const readText = (said: string, context: Context): readonly StepInput[] | null => {
  const { tokens, problem } = tokenize(said);
  if (problem) return null;
  const read = readAll(tokens, readerOf(said), context);
  return read.ok ? read.steps : null;
};

/** Reads sentences that stand for one, all of them or none. */
const readTexts = (said: readonly string[], context: Context): readonly StepInput[] | null => {
  const steps: StepInput[] = [];
  for (const text of said) {
    const read = readText(text, { ...context, isFirst: context.isFirst && steps.length === 0 });
    if (!read) return null;
    steps.push(...read);
  }
  return steps;
};

/** The same in plainer words; null when it is not understood so either. */
const readPlainly = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const isDone = context.mood === "given" || context.mood === "when";
  const plain = restated(tokens, source, isClaimed || context.mood === "then", isDone);
  return plain === null ? null : readText(plain, context);
};

const readEither = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const read = readAll(tokens, readerOf(source), context);
  return read.ok ? read.steps : readPlainly(tokens, source, context, isClaimed);
};

/** `In the "Billing" section: …`: what stands behind, there. */
const readPlaced = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const placed = placedFirst(tokens, source, context.isFirst);
  if (!placed) return null;
  const before = placed.before === null ? [] : readText(placed.before, context);
  const here = { ...context, isFirst: context.isFirst && placed.before === null };
  const rest = tokens.slice(placed.length);
  const read = before && readEither(rest, source, here, isClaimed);
  const steps = read && stepsIn(read, placed.place);
  return steps && { steps: [...(before ?? []), ...steps], message: placed.message };
};

/** `/login -> Sign in -> "Welcome"`: what stands between arrows, one after the other. */
const readArrows = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const parts = arrowed(tokens);
  if (!parts) return null;
  const steps: StepInput[] = [];
  for (const [index, part] of parts.entries()) {
    const here = { ...context, isFirst: context.isFirst && index === 0 };
    const alone = namedAlone(part, source, index === parts.length - 1);
    const read = alone === null ? readEither(part, source, here, false) : readText(alone, here);
    if (!read) return null;
    const words = source.slice(part[0]?.start, part.at(-1)?.end);
    steps.push(...read.map((step) => ({ ...step, description: words })));
  }
  return steps;
};

/** Reads what no form takes as it is: in plainer words, in its place, part by part. Null when it is not certain. */
const readOtherwise = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const isDone = context.mood === "given" || context.mood === "when";
  const plain = restated(tokens, source, isClaimed || context.mood === "then", isDone);
  if (plain === null) return readRearranged(tokens, source, context, isClaimed);
  const read = readText(plain, context);
  if (read) return certain(read);
  const again = tokenize(plain);
  return again.problem ? null : readRearranged(again.tokens, plain, context, isClaimed);
};

/** Reads a path through menus, keys alone, what is done in a place or after something, and what arrows divide. */
const readRearranged = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const path = menuPath(tokens, source) ?? keysAlone(tokens);
  const found =
    certain(path && readTexts(path, context)) ??
    readPlaced(tokens, source, context, isClaimed) ??
    certain(readArrows(tokens, source, context));
  if (found) return found;
  for (const cut of cutBehindDeed(tokens, source)) {
    const read = readTexts(cut.split("\n"), context);
    if (read) return certain(read);
  }
  return certain(readSeparately(tokens, source, context, isClaimed));
};

/** Reads what stands between commas by itself, where all of it can be read so. */
const readSeparately = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const parts = separated(tokens);
  if (parts.length < 2) return null;
  const steps: StepInput[] = [];
  for (const part of parts) {
    const here = { ...context, isFirst: context.isFirst && steps.length === 0 };
    const path = menuPath(part, source);
    const read = path ? readTexts(path, here) : readEither(part, source, here, isClaimed);
    if (!read) return null;
    steps.push(...read);
  }
  return steps;
};

/** Reads a sentence in which what was mentioned before is named again. */
const readKnown = (said: string, words: string, context: Context): ReadSentence => {
  const { tokens, problem } = tokenize(said);
  if (problem) return { ok: false, message: problem, suggestion: null };
  const read = readAll(tokens, readerOf(said), context);
  if (!read.ok) return read;
  return { ok: true, steps: read.steps.map((step) => ({ ...step, description: words })) };
};

/** A line's instruction, and what is known of it from the lines before. */
export type Instruction = {
  readonly text: string;
  /** What the line before came to, last; null when it came to nothing. */
  readonly last: StepInput | null;
  readonly mood: Mood | null;
  readonly isExpected: boolean;
};

/** `Expected: error message "Email is required"`: what is named is to be seen. */
const readExpected = (words: string): ReadSentence | null => {
  const said = `I should see ${words}`;
  const { tokens, problem } = tokenize(said);
  if (problem || !tokens.some(({ kind }) => kind === "quoted")) return null;
  const read = readSentence(tokens, readerOf(said), { mood: "then", isFirst: false });
  if (!read.ok) return null;
  return { ok: true, steps: read.steps.map((step) => ({ ...step, description: words })) };
};

/** Says what is wrong with some words of a line. */
export type Warn = (message: string, words?: string, quoted?: string | null) => void;

/** `Click "Save". Expected: "Saved" is visible`: how many words only say that it is expected. */
const isExpectation = (tokens: readonly Token[]): number => {
  const [first, second, third] = tokens;
  if (first?.kind !== "word" || !/^(?:expected|result)$/.test(first.lower)) return 0;
  if (first.text === first.lower) return 0;
  const isResult = second?.lower === "result" || second?.lower === "results";
  const length = isResult ? 2 : 1;
  const colon = isResult ? third : second;
  if (colon?.kind === "mark" && colon.text === ":") return length + 1;
  return colon?.kind === "quoted" ? length : 0;
};

/** `…; expected: page title is "A"`: how many words say so. */
const expectationIn = (tokens: readonly Token[]): number => {
  const colon = tokens.findIndex((token) => token.kind === "mark" && token.text === ":");
  const said = tokens
    .slice(0, Math.max(colon, 0))
    .map(({ lower }) => lower)
    .join(" ");
  return /^(?:expected|expected results?|expect|result|then|verify)$/.test(said) ? colon + 1 : 0;
};

/** Reads what one line says, and pauses before each of its sentences. */
export function* readInstruction(
  { text, mood, isExpected, last }: Instruction,
  steps: StepInput[],
  warn: Warn,
): Generator<undefined, void> {
  const { tokens: all, problem } = tokenize(text);
  if (problem) {
    warn(`${problem} Use other quotes around a text that has quotes in it.`);
    return;
  }
  const meant = mended(all, text);
  if (meant !== null) {
    const from = steps.length;
    const said: Instruction = { text: meant, mood, isExpected, last };
    yield* readInstruction(said, steps, (message, _words, quoted) => warn(message, text, quoted));
    // What a person wrote stays the description.
    for (let at = from; at < steps.length; at++) {
      const step = steps[at];
      if (step) steps[at] = { ...step, description: text };
    }
    return;
  }
  const { tokens, unclear } = withoutComment(all);
  if (unclear) {
    warn("Put the comment on a line of its own, or the name in quotes.");
    return;
  }
  const sentences = sentencesOf(tokens);
  let before = last;
  const reader = readerOf(text);
  if (sentences.length === 0) warn("There is no instruction in this line.");
  for (const sentence of sentences) {
    yield;
    const expected = isExpectation(sentence.tokens);
    const said = sentence.tokens.slice(expected);
    const first = said[0];
    const words = text.slice(first?.start ?? 0, sentence.tokens.at(-1)?.end);
    if (sentence.doubt) {
      warn(sentence.doubt, words);
      continue;
    }
    const here: Context = {
      mood: expected > 0 ? ("then" as const) : mood,
      isFirst: steps.length === 0,
      last: before,
    };
    before = null;
    const known = mayMention(text) ? withMentioned(said, text, steps) : null;
    const read = known === null ? readAll(said, reader, here) : readKnown(known, words, here);
    const isClaimed = isExpected || expected > 0;
    const meant = read.ok || !isClaimed ? read : (readExpected(words) ?? read);
    if (meant.ok) {
      steps.push(...meant.steps);
      before = steps.at(-1) ?? null;
      continue;
    }
    const otherwise = readOtherwise(said, text, here, isClaimed);
    if (otherwise) {
      const isWhole = (step: StepInput) => !words.includes(step.description);
      for (const step of otherwise.steps) {
        steps.push(isWhole(step) ? { ...step, description: words } : step);
      }
      if (otherwise.message !== null) warn(otherwise.message, words);
      before = steps.at(-1) ?? null;
      continue;
    }
    const inParts = readParts(said, reader, here);
    steps.push(...inParts.steps);
    if (inParts.steps.length === 0) warn(meant.message, words, meant.suggestion);
    else for (const { message, said } of inParts.warned) warn(message, said);
  }
}
