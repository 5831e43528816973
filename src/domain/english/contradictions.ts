import type { StepInput } from "../catalogue/step.ts";

type Warning = {
  readonly line: number;
  readonly text: string;
  readonly message: string;
  readonly suggestions: readonly string[];
};
type Parsed = { readonly steps: StepInput[]; readonly warnings: Warning[] };

/** Assertions that cannot both hold for an element at one time, with the words of each. */
const OPPOSITES: readonly (readonly [action: string, words: string])[][] = [
  [
    ["assert_enabled", "enabled"],
    ["assert_disabled", "disabled"],
  ],
  [
    ["assert_visible", "visible"],
    ["assert_hidden", "hidden"],
  ],
  [
    ["assert_checked", "checked"],
    ["assert_unchecked", "unchecked"],
  ],
];

/** A sentence with such a word tells a change over time: "is disabled, then enabled". */
const CHANGES = /\b(?:then|until|after|afterwards|before|once|when|later|finally|next)\b/i;

type Pair = { readonly target: string; readonly words: readonly string[] };

/** The opposites that two consecutive steps assert of one element; null if they do not. */
const pairOf = (one: StepInput, other: StepInput | undefined): Pair | null => {
  if (!other || one.target !== other.target || one.value !== other.value) return null;
  const found = OPPOSITES.find(
    (pair) =>
      one.action !== other.action &&
      pair.some(([action]) => action === one.action) &&
      pair.some(([action]) => action === other.action),
  );
  return found ? { target: one.target, words: found.map(([, words]) => words) } : null;
};

const hasPair = (steps: readonly StepInput[], pair: Pair): boolean =>
  steps.some((step, at) => {
    const found = pairOf(step, steps[at + 1]);
    return found?.target === pair.target && found.words.join() === pair.words.join();
  });

/** The first line with a sentence that asserts both. Assertions in two sentences describe a change over time. */
const lineOf = (
  text: string,
  pair: Pair,
  read: (sentence: string) => readonly StepInput[],
): Pick<Warning, "line" | "text"> | null => {
  for (const [index, line] of text.split("\n").entries()) {
    for (const sentence of line.split(/(?<=[.!?;])\s+/)) {
      if (!sentence.includes(" and ") && !sentence.includes(" but ")) continue;
      if (!CHANGES.test(sentence) && hasPair(read(sentence), pair)) {
        return { line: index + 1, text: line.trim() };
      }
    }
  }
  return null;
};

/** A sentence for each of the two assertions, in a form that gives this one step. */
const suggestionsOf = (
  { target, words }: Pair,
  read: (sentence: string) => readonly StepInput[],
): string[] =>
  words.flatMap((word) => {
    const forms = [`Verify that the ${target} is ${word}`, `Verify that "${target}" is ${word}`];
    const fits = forms.find((form) => {
      const [step, more] = read(form);
      return step?.target === target && more === undefined;
    });
    return fits ?? [];
  });

/**
 * Replaces the steps of a sentence that asserts opposites of one element by a warning. `read` parses a sentence; it is
 * called only if consecutive steps assert opposites.
 */
export const withoutContradictions = (
  parsed: Parsed,
  text: string,
  read: (sentence: string) => readonly StepInput[],
): Parsed => {
  const steps: StepInput[] = [];
  const warnings: Warning[] = [];
  for (let at = 0; at < parsed.steps.length; at += 1) {
    const step = parsed.steps[at];
    if (!step) continue;
    const pair = pairOf(step, parsed.steps[at + 1]);
    const place = pair && lineOf(text, pair, read);
    if (!place) {
      steps.push(step);
      continue;
    }
    const [one = "", other = ""] = pair.words;
    warnings.push({
      ...place,
      message: `"${pair.target}" cannot be ${one} and ${other} at the same time. Keep one of them, or write two sentences if it changes.`,
      suggestions: suggestionsOf(pair, read),
    });
    at += 1;
  }
  if (warnings.length === 0) return parsed;
  const all = [...parsed.warnings, ...warnings].sort((a, b) => a.line - b.line);
  return { steps, warnings: all };
};
