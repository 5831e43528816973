import type { StepInput } from "../step.ts";
import { type Token, tokenize } from "../words.ts";
import { sentencesOf, withoutComment } from "./clauses.ts";
import type { Mood } from "./lines.ts";
import { withoutCourtesy } from "./polite.ts";
import { type Reader, readerOf } from "./reader.ts";
import { partsOf, withoutRemark } from "./remarks.ts";
import { rewritten } from "./rewrite.ts";
import type { Context } from "./search.ts";
import { type ReadSentence, readSentence } from "./sentence.ts";
import { mended } from "./typos.ts";

/** Reads a sentence, or all those that it means; what a person wrote stays the description. */
const readAll = (tokens: readonly Token[], reader: Reader, context: Context): ReadSentence => {
  const { source } = reader;
  const said = rewritten(withoutCourtesy(tokens), source);
  if (!said) return readSentence(tokens, reader, context);
  const words = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps: StepInput[] = [];
  for (const sentence of said) {
    const read = readSentence(tokenize(sentence).tokens, readerOf(sentence), {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
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
  for (const part of partsOf(tokens) ?? [tokens]) {
    const here = { ...context, isFirst: context.isFirst && steps.length === 0 };
    const said = source.slice(part[0]?.start, part.at(-1)?.end);
    const whole = part === tokens ? null : readAll(part, reader, here);
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

/** A line's instruction, and what is known of it from the lines before. */
export type Instruction = {
  readonly text: string;
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

/** Reads what one line says, and pauses before each of its sentences. */
export function* readInstruction(
  { text, mood, isExpected }: Instruction,
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
    const said: Instruction = { text: meant, mood, isExpected };
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
    const here = {
      mood: expected > 0 ? ("then" as const) : mood,
      isFirst: steps.length === 0,
    };
    const read = readAll(said, reader, here);
    const isClaimed = isExpected || expected > 0;
    const meant = read.ok || !isClaimed ? read : (readExpected(words) ?? read);
    if (meant.ok) {
      steps.push(...meant.steps);
      continue;
    }
    const inParts = readParts(said, reader, here);
    steps.push(...inParts.steps);
    if (inParts.steps.length === 0) warn(meant.message, words, meant.suggestion);
    else for (const { message, said } of inParts.warned) warn(message, said);
  }
}
