import type { StepInput } from "../step.ts";
import { type Token, tokenize } from "../words.ts";
import type { Context } from "./clause.ts";
import { sentencesOf, withoutComment } from "./clauses.ts";
import { type Following, followingOf } from "./following.ts";
import { isListed, isStory, type Line, MAX_LINE_LENGTH, type Mood, readLine } from "./lines.ts";
import { type Reader, readerOf } from "./reader.ts";
import { rewritten } from "./rewrite.ts";
import { type ReadSentence, readSentence } from "./sentence.ts";
import { suggestionsFor } from "./suggest.ts";

/**
 * The version of the grammar. A run pins it: the same text and version give the same steps for ever.
 * Raise it whenever any sentence comes to mean something else.
 */
export const GRAMMAR_VERSION = 3;

/** A line that was not understood, or not for certain. */
export type ParseWarning = {
  /** Counted from 1. */
  readonly line: number;
  /** The person's own words. */
  readonly text: string;
  readonly message: string;
  /** Forms near to what was written that would be understood. */
  readonly suggestions: readonly string[];
};

export type ParsedEnglish = { readonly steps: StepInput[]; readonly warnings: ParseWarning[] };

const MAX_SHOWN = 500;

/**
 * Translates plain English into steps. Deterministic, linear in the text, and never a guess: a sentence
 * that is not understood for certain gives no step but a warning. Never throws.
 */
export const parseEnglish = (text: string): ParsedEnglish => {
  const steps: StepInput[] = [];
  const warnings: ParseWarning[] = [];
  let mood: Mood | null = null;
  let scenarios = 0;
  let isActual = false;
  let isExpecting = false;
  let isFeature = false;
  let following: Following | null = null;
  const warnAt = (line: number, message: string, words: string, quoted: string | null = null) => {
    const shown = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
    const suggestions = [...(quoted ? [quoted] : []), ...suggestionsFor(words)].slice(0, 3);
    warnings.push({ line, text: shown, message, suggestions });
  };
  for (const [index, raw] of text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).entries()) {
    const warn = (message: string, words = raw.trim(), quoted: string | null = null): void =>
      warnAt(index + 1, message, words, quoted);
    if (raw.length > MAX_LINE_LENGTH && raw.trim().length > MAX_LINE_LENGTH) {
      warn("This line is too long to be read.");
      continue;
    }
    const line: Line = readLine(raw);
    if (following && line.kind !== "nothing") {
      const said = following.next(line);
      if (said !== null) {
        if (said !== "") readInstruction({ text: said, mood, isExpected: false }, steps, warn);
        continue;
      }
      if (!following.isUsed() && !isListed(raw))
        warnAt(following.line, NOTHING_FOLLOWS, following.text);
      following = null;
    }
    if (line.kind === "section") {
      mood = line.mood;
      isActual = line.isActual;
      isExpecting = line.mood === "then";
      isFeature = false;
      continue;
    }
    if (line.kind === "feature" || line.kind === "scenario") isFeature = line.kind === "feature";
    if (isFeature && line.kind === "instruction" && isStory(raw)) continue;
    if (isActual && line.kind === "instruction") {
      warn("This tells what happened, which is no part of the test: say what should happen.");
      continue;
    }
    switch (line.kind) {
      case "nothing":
      case "feature":
        break;
      case "unclear":
        warn(line.message);
        break;
      case "scenario":
        scenarios++;
        mood = null;
        if (scenarios > 1)
          warn("One text is one test: put the next scenario in a test of its own.");
        break;
      case "instruction": {
        isFeature = false;
        mood = line.mood ?? mood;
        following = followingOf(line.text, index);
        if (following) break;
        const isExpected = line.isExpected === true || isExpecting;
        readInstruction({ text: line.text, mood, isExpected }, steps, warn);
        break;
      }
      case "row":
        for (const { text, mood } of line.cells) {
          readInstruction({ text, mood, isExpected: mood === "then" }, steps, warn);
        }
        break;
    }
  }
  if (following && !following.isUsed()) warnAt(following.line, NOTHING_FOLLOWS, following.text);
  return { steps, warnings };
};

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

const NOTHING_FOLLOWS =
  "What follows is no list of fields and texts: write | Email | a@example.com |.";

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

const readInstruction = (
  { text, mood, isExpected }: Instruction,
  steps: StepInput[],
  warn: (message: string, words?: string, quoted?: string | null) => void,
): void => {
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
};
