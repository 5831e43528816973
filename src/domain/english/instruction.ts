import type { StepInput } from "../catalogue/step.ts";
import { mayMention, pointsAt, withMentioned } from "./anaphora.ts";
import { sentencesOf, withoutComment } from "./clauses.ts";
import { clickedInBrackets } from "./contained.ts";
import { namedAndCounted } from "./counted.ts";
import { CUE } from "./cueBits.ts";
import { cuesOf } from "./cues.ts";
import { readDoubtful } from "./doubtful.ts";
import { readExpected } from "./expected.ts";
import { formInLine } from "./formLines.ts";
import { valueOfKnown } from "./knownValues.ts";
import type { Mood } from "./line.ts";
import { behindPurpose, boldPaths } from "./openings.ts";
import { readOtherwise } from "./otherwise.ts";
import { startsWithIts, withIts } from "./possessive.ts";
import { type Reader, readerOf } from "./reader.ts";
import { readAll, readPlainly, readTexts } from "./readings.ts";
import { partsOf, SPOT, withoutRemark } from "./remarks.ts";
import type { Context } from "./search.ts";
import { describedAs, type ReadSentence } from "./sentence.ts";
import { doubtOfSeveral } from "./several.ts";
import { mended } from "./typos.ts";
import { type Token, tokenize } from "./words.ts";

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
        steps.push(...plain.map((step) => describedAs(step, said)));
        continue;
      }
      const last = steps.at(-1) ?? context.last ?? null;
      const other = readOtherwise(part, source, { ...there, last }, expected > 0);
      if (other && other.message === null) {
        steps.push(...other.steps.map((step) => describedAs(step, said)));
        continue;
      }
    }
    if (whole?.ok) {
      steps.push(...whole.steps);
      continue;
    }
    const remark = withoutRemark(part, source);
    const rest = remark && readAll(remark.tokens, readerOf(source), here);
    // What stands at a spot on the screen may be one of several: it is asked about as a whole.
    if (remark?.message === SPOT) {
      return { steps: [], warned: [{ message: remark.message, said }] };
    }
    if (rest?.ok) steps.push(...rest.steps);
    warned.push({
      message: rest?.ok ? (remark?.message ?? "") : (whole?.message ?? "Not understood."),
      said,
    });
  }
  return { steps, warned };
};

/** Reads a sentence in which what was mentioned before is named again. */
const readKnown = (said: string, words: string, context: Context): ReadSentence => {
  const { tokens, problem } = tokenize(said);
  if (problem) return { ok: false, message: problem, suggestion: null };
  const read = readAll(tokens, readerOf(said), context);
  if (!read.ok) return read;
  return { ok: true, steps: read.steps.map((step) => describedAs(step, words)) };
};

/** A line's instruction, and what is known of it from the lines before. */
export type Instruction = {
  readonly text: string;
  /** What the line before came to, last; null when it came to nothing. */
  readonly last: StepInput | null;
  readonly mood: Mood | null;
  readonly isExpected: boolean;
};

/** What a person says when all is done. */
const DONE =
  /^(?:done|that's it|that's all|that is all|that is it|end of (?:the )?test|the end|thanks?|thank you)$/i;

/** The longest of them is `end of the test`. */
const MAX_DONE = 16;

/** `Is "A" enabled? It should be.` */
const CONFIRMED = /^(?:it|they|this|that) (?:should|must)(?: be)?$/i;

/** What a form that stands in one line comes to; null for anything else. */
const formSaid = (words: string, context: Context): readonly StepInput[] | null => {
  if (context.mood === "then" || context.mood === "given") return null;
  const said = formInLine(words);
  const read = said && readTexts(said, context);
  return read?.map((step) => describedAs(step, words)) ?? null;
};

/** Says what is wrong with some words of a line. */
export type Warn = (message: string, words?: string, quoted?: string | null) => void;

const RESULT = /^(?:results?|outcome|behaviou?r|message|text|output)$/;

/** `Click "Save". Expected: "Saved" is visible`: how many words only say that it is expected. */
const isExpectation = (tokens: readonly Token[]): number => {
  const [first, second, third] = tokens;
  if (first?.kind !== "word") return 0;
  if (first.lower !== "expected" && first.lower !== "result") return 0;
  if (first.text === first.lower) return 0;
  const isResult = RESULT.test(second?.lower ?? "");
  const length = isResult ? 2 : 1;
  const isSaid = /^(?:is|be)$/.test(tokens[length]?.lower ?? "");
  if (isSaid && tokens[length + 1]?.kind === "quoted" && first.lower === "expected") {
    return length + 1;
  }
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
  return /^(?:expected|expected (?:results?|outcomes?|behaviou?rs?)|expect|result|then|verify|er|exp)$/.test(
    said,
  )
    ? colon + 1
    : 0;
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
  const cues = cuesOf(all);
  const meant = (cues & CUE.typo) === 0 ? boldPaths(text) : (mended(all, text) ?? boldPaths(text));
  if (meant !== null) {
    const from = steps.length;
    const said: Instruction = { text: meant, mood, isExpected, last };
    yield* readInstruction(said, steps, (message, _words, quoted) => warn(message, text, quoted));
    // What a person wrote stays the description.
    for (let at = from; at < steps.length; at++) {
      const step = steps[at];
      if (step) steps[at] = describedAs(step, text);
    }
    return;
  }
  const { tokens, unclear } =
    (cues & CUE.comment) === 0 ? { tokens: all, unclear: false } : withoutComment(all);
  if (unclear) {
    warn("Put the comment on a line of its own, or the name in quotes.");
    return;
  }
  // Without a mark there is but one.
  const isOne = (cues & CUE.mark) === 0 && tokens.length > 0;
  const sentences = isOne ? [{ tokens, doubt: null }] : sentencesOf(tokens);
  let before = last;
  const reader = readerOf(text, cues);
  if (sentences.length === 0) warn("There is no instruction in this line.");
  for (const sentence of sentences) {
    yield;
    const expected = isExpectation(sentence.tokens);
    const whole = sentence.tokens.slice(expected);
    const words = text.slice(whole[0]?.start ?? 0, sentence.tokens.at(-1)?.end);
    const said = behindPurpose(whole);
    if (words.length <= MAX_DONE && DONE.test(words)) continue;
    if (before?.action.startsWith("assert_") && CONFIRMED.test(words)) continue;
    if (sentence.doubt) {
      const here: Context = { mood, isFirst: steps.length === 0, last: before };
      const known =
        formSaid(words, here) ??
        readDoubtful(said, text, here)?.map((step) => describedAs(step, words));
      if (known) steps.push(...known);
      else warn(sentence.doubt, words);
      before = known?.at(-1) ?? null;
      continue;
    }
    const here: Context = {
      mood: expected > 0 ? ("then" as const) : mood,
      isFirst: steps.length === 0,
      last: before,
    };
    before = null;
    const several = doubtOfSeveral(said);
    if (several !== null) {
      warn(several, words);
      continue;
    }
    const counted = (cues & (CUE.mark | CUE.joint)) === 0 ? null : namedAndCounted(said, text);
    if (counted) {
      const seen = counted.length > 0 ? readTexts(counted, here) : null;
      if (seen) steps.push(...seen.map((step) => describedAs(step, words)));
      else warn("What is counted and what is named are not as many.", words);
      before = steps.at(-1) ?? null;
      continue;
    }
    const isIts = startsWithIts(said);
    const its = isIts ? withIts(said, text, here.last) : null;
    const isMention = (cues & CUE.mention) !== 0 && mayMention(text);
    const known = its ?? (isMention ? withMentioned(said, text, steps) : null);
    const read = known === null ? readAll(said, reader, here) : readKnown(known, words, here);
    if (known === null && read.ok && pointsAt(said)) {
      warn("It is not clear which one is meant.", words);
      continue;
    }
    if (isIts && !(known !== null && read.ok)) {
      warn("It is not clear whose it is.", words);
      continue;
    }
    const isClaimed = isExpected || expected > 0;
    const meant = read.ok || !isClaimed ? read : (readExpected(words) ?? read);
    if (meant.ok) {
      steps.push(...meant.steps);
      before = steps.at(-1) ?? null;
      continue;
    }
    const other = clickedInBrackets(said, text);
    const there = other === null ? null : readKnown(other, words, here);
    if (there?.ok) {
      steps.push(...there.steps);
      before = steps.at(-1) ?? null;
      continue;
    }
    const claimed = valueOfKnown(said, text, steps);
    if (claimed) {
      steps.push(claimed);
      before = claimed;
      continue;
    }
    const otherwise = readOtherwise(said, text, here, isClaimed);
    if (otherwise) {
      if (otherwise.message === SPOT) {
        warn(otherwise.message, words);
        continue;
      }
      const isWhole = (step: StepInput) => !words.includes(step.description);
      for (const step of otherwise.steps) {
        steps.push(isWhole(step) ? describedAs(step, words) : step);
      }
      if (otherwise.message !== null) warn(otherwise.message, words);
      before = steps.at(-1) ?? null;
      continue;
    }
    const form = isClaimed ? null : formSaid(words, here);
    if (form) {
      steps.push(...form);
      before = steps.at(-1) ?? null;
      continue;
    }
    const inParts = readParts(said, reader, here);
    steps.push(...inParts.steps);
    const spot = inParts.warned.find(({ message }) => message === SPOT);
    if (inParts.steps.length === 0) warn(spot?.message ?? meant.message, words, meant.suggestion);
    else for (const { message, said } of inParts.warned) warn(message, said);
  }
}
