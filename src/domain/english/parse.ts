import type { StepInput } from "../catalogue/step.ts";
import { problemsOf } from "../catalogue/vocabulary.ts";
import type { Grammar } from "./engine/compiled.ts";
import { compileGrammar } from "./engine/grammar.ts";
import { readLineText, type SentenceReading } from "./engine/sentence.ts";
import type { Draft, Mood } from "./engine/types.ts";
import { english } from "./languages/english.ts";
import { type Entry, entriesOf } from "./layout/layout.ts";
import { adviceFor } from "./suggest/advice.ts";
import { suggestionsFor } from "./suggest/suggest.ts";

/** A line that was not understood, or not for certain. */
export type LineWarning = {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly message: string;
  /** At most three sentences that the grammar reads. */
  readonly suggestions: readonly string[];
};

export type ParsedText = { readonly steps: StepInput[]; readonly warnings: LineWarning[] };

const MAX_SHOWN = 500;

let compiled: Grammar | null = null;

/** The grammar of English, compiled once per process. */
export const englishGrammar = (): Grammar => {
  compiled ??= compileGrammar(english);
  return compiled;
};

/** Reads one line without bullets and keywords. */
export const readSentence = (text: string, mood: Mood | null = null): SentenceReading => {
  const read = readLineText(englishGrammar(), text, mood);
  if (read.kind === "asked") return read;
  const problem = read.steps.flatMap((step) => problemsOf(inputOf(step, text)))[0];
  return problem ? { kind: "asked", message: problem.message, readings: [], reached: 0 } : read;
};

const inputOf = (draft: Draft, description: string): StepInput => ({
  ...draft,
  description,
  disabled: false,
});

const pairStep = ({ name, value }: { readonly name: string; readonly value: string }): Draft => ({
  action: value === "" ? "clear" : "fill",
  target: name,
  value,
  optional: false,
});

/**
 * Translates a text into steps, one line after the other. Never throws, never guesses: a line that is not read for
 * certain gives a warning and no step. Yields before each line, so that a driver can let others have their turn.
 */
export function* parseLines(text: string): Generator<undefined, ParsedText> {
  const steps: StepInput[] = [];
  const warnings: LineWarning[] = [];
  const known = new Map<string, SentenceReading>();
  const warn = (entry: Entry, message: string, suggestions: readonly string[] = []) => {
    const words = entry.raw.trim();
    const shown = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
    warnings.push({ line: entry.line + 1, text: shown, message, suggestions });
  };
  for (const entry of entriesOf(text)) {
    yield;
    if (entry.kind === "asked") {
      warn(entry, entry.message);
      continue;
    }
    if (entry.kind === "pair") {
      steps.push(inputOf(pairStep(entry), entry.raw.trim()));
      continue;
    }
    const advice = adviceFor(entry.text);
    if (advice) {
      warn(entry, advice.message, advice.suggestions);
      continue;
    }
    const key = `${entry.mood ?? ""}:${entry.text}`;
    const read = known.get(key) ?? readSentence(entry.text, entry.mood);
    known.set(key, read);
    if (read.kind === "asked")
      warn(entry, read.message, suggestionsFor(entry.text, read, readSentence));
    else for (const step of read.steps) steps.push(inputOf(step, entry.text));
  }
  return { steps, warnings };
}

/** Translates a text into steps at once. */
export const parseText = (text: string): ParsedText => {
  const reading = parseLines(text);
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
  }
};
