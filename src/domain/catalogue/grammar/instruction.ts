import type { StepInput } from "../step.ts";
import { type Token, tokenize } from "../words.ts";
import type { Context } from "./clause.ts";
import { sentencesOf, withoutComment } from "./clauses.ts";
import type { Mood } from "./lines.ts";
import { type Reader, readerOf } from "./reader.ts";
import { rewritten } from "./rewrite.ts";
import { type ReadSentence, readSentence } from "./sentence.ts";

/** Reads a sentence, or all those that it means; what a person wrote stays the description. */
const readAll = (tokens: readonly Token[], reader: Reader, context: Context): ReadSentence => {
  const { source } = reader;
  const said = rewritten(tokens, source);
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

/** A line's instruction, and what is known of it from the lines before. */
type Instruction = {
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
    const first = sentence.tokens[0];
    const words = text.slice(first?.start ?? 0, sentence.tokens.at(-1)?.end);
    if (sentence.doubt) {
      warn(sentence.doubt, words);
      continue;
    }
    const read = readAll(sentence.tokens, reader, { mood, isFirst: steps.length === 0 });
    const meant = read.ok || !isExpected ? read : (readExpected(words) ?? read);
    if (meant.ok) steps.push(...meant.steps);
    else warn(meant.message, words, meant.suggestion);
  }
}
