import type { StepInput } from "../catalogue/step.ts";
import { problemsOf } from "../catalogue/vocabulary.ts";
import { withoutContradictions } from "./contradictions.ts";
import type { Grammar } from "./engine/compiled.ts";
import { compileGrammar } from "./engine/grammar.ts";
import { readLineText, type SentenceReading } from "./engine/sentence.ts";
import type { Draft, Mood } from "./engine/types.ts";
import { english } from "./languages/english.ts";
import { isVagueText } from "./languages/englishParts.ts";
import { VALUES } from "./layout/forms.ts";
import { type Entry, entriesOf } from "./layout/layout.ts";
import { adviceFor } from "./suggest/advice.ts";
import { suggestionsFor } from "./suggest/suggest.ts";

/**
 * The version of the grammar. A run records it: the same text and version always give the same steps.
 * Raise it whenever a sentence changes its steps.
 */
export const GRAMMAR_VERSION = 13;

/** A line that was not understood, or not for certain. */
export type ParseWarning = {
  /** Counted from 1. */
  readonly line: number;
  /** The words of the line. */
  readonly text: string;
  readonly message: string;
  /** At most three sentences that the grammar reads. */
  readonly suggestions: readonly string[];
};

export type ParsedEnglish = { readonly steps: StepInput[]; readonly warnings: ParseWarning[] };

type Asked = Extract<SentenceReading, { kind: "asked" }>;

const MAX_SHOWN = 500;
/** The most lines of a text for which sentences are looked for: the time for a text stays bounded. */
const MAX_HELPED = 40;

/** Results of the last long texts: reading one again costs nothing. */
const recent = new Map<string, ParsedEnglish>();
const MAX_RECENT = 4;

let compiled: Grammar | null = null;

/** The grammar of English, compiled once per process. */
export const englishGrammar = (): Grammar => {
  compiled ??= compileGrammar(english);
  return compiled;
};

const drive = <T>(reading: Generator<undefined, T>): T => {
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
  }
};

function* readingOf(text: string, mood: Mood | null): Generator<undefined, SentenceReading> {
  const read = yield* readLineText(englishGrammar(), text, mood);
  if (read.kind === "asked") return read;
  const problem = read.steps.flatMap((step) => problemsOf(inputOf(step, text)))[0];
  return problem ? { kind: "asked", message: problem.message, readings: [], reached: 0 } : read;
}

/** Reads one line without bullets and keywords. */
export const readSentence = (text: string, mood: Mood | null = null): SentenceReading =>
  drive(readingOf(text, mood));

const inputOf = (draft: Draft, description: string): StepInput => {
  const { action, target, value, optional } = draft;
  return { action, target, value, optional, description, disabled: false };
};

/** The step of a field and its value in a form; null if it is not clear what the value is. */
const pairStep = ({ name, value, isQuoted }: Extract<Entry, { kind: "pair" }>): Draft | null => {
  const step = { target: name, value: "", optional: false };
  if (value === "") return { ...step, action: "clear" };
  if (isQuoted) return { ...step, action: "fill", value };
  const known = VALUES.find(([form]) => form.test(value));
  if (known) return { ...step, action: known[1] };
  return isVagueText(value) ? null : { ...step, action: "fill", value };
};

/**
 * Translates a text into steps, one line after the other. Never throws, never guesses: a line that is not read for
 * certain gives a warning and no step. Yields before each sentence, so that a driver can let others have their turn.
 */
function* readLines(text: string): Generator<undefined, ParsedEnglish> {
  const steps: StepInput[] = [];
  const warnings: ParseWarning[] = [];
  const known = new Map<string, SentenceReading>();
  let helped = 0;
  const suggestions = (entry: Extract<Entry, { kind: "instruction" }>, read: Asked) =>
    ++helped > MAX_HELPED
      ? []
      : suggestionsFor(englishGrammar(), entry.text, entry.mood, read, readSentence);
  const warn = (entry: Entry, message: string, suggestions: readonly string[] = []) => {
    const words = entry.kind === "instruction" ? entry.text : entry.raw.trim();
    const shown = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
    warnings.push({ line: entry.line + 1, text: shown, message, suggestions });
  };
  for (const entry of entriesOf(text)) {
    yield;
    if (entry === null) continue;
    if (entry.kind === "asked") {
      warn(entry, entry.message);
      continue;
    }
    if (entry.kind === "pair") {
      const step = pairStep(entry);
      if (step) steps.push(inputOf(step, entry.raw.trim()));
      else
        warn(
          entry,
          `It is not clear what "${entry.value}" is: put the text that is meant in quotes.`,
        );
      continue;
    }
    const advice = adviceFor(entry.text);
    if (advice) {
      warn(entry, advice.message, advice.suggestions);
      continue;
    }
    const key = `${entry.mood ?? ""}:${entry.text}`;
    const read = known.get(key) ?? (yield* readingOf(entry.text, entry.mood));
    known.set(key, read);
    if (read.kind === "asked") {
      warn(entry, read.message, suggestions(entry, read));
    } else steps.push(...read.steps.map((step, at) => inputOf(step, read.words[at] ?? entry.text)));
  }
  return { steps, warnings };
}

function* readConsistent(text: string): Generator<undefined, ParsedEnglish> {
  const parsed = yield* readLines(text);
  return withoutContradictions(parsed, text, (sentence) => drive(readLines(sentence)).steps);
}

/**
 * Translates plain English into steps. Deterministic, linear in the text, and never a guess: a sentence that is not
 * understood for certain gives no step but a warning. Never throws.
 */
export const parseEnglish = (text: string): ParsedEnglish => {
  const known = recent.get(text);
  if (known) return { steps: [...known.steps], warnings: [...known.warnings] };
  return drive(readConsistent(text));
};

/** The same in slices of one sentence, so that a driver can let others have their turn. `parseEnglish` knows the result. */
export function* parseInSlices(text: string): Generator<undefined, ParsedEnglish> {
  const read = yield* readConsistent(text);
  recent.delete(text);
  recent.set(text, read);
  for (const oldest of [...recent.keys()].slice(0, -MAX_RECENT)) recent.delete(oldest);
  return { steps: [...read.steps], warnings: [...read.warnings] };
}
