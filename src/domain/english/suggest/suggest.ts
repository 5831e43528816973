import type { Grammar } from "../engine/compiled.ts";
import { type SentenceReading, tokensOf } from "../engine/sentence.ts";
import type { Draft, Mood } from "../engine/types.ts";
import { type Printed, printSteps, type Read } from "../print/print.ts";
import { repair } from "./repair.ts";

const MAX_SUGGESTIONS = 3;
const MAX_LENGTH = 600;

/**
 * Up to three sentences for a line that is not read, made of its own words: the readings that contradict each other, or
 * the steps that the chart and the frames of the line's verbs come nearest to. Words that a sentence leaves out are named
 * in it, and words that would change its meaning are never left out.
 */
export const suggestionsFor = (
  grammar: Grammar,
  text: string,
  mood: Mood | null,
  asked: Extract<SentenceReading, { kind: "asked" }>,
  read: Read,
): readonly string[] => {
  const found: string[] = [];
  const known: Printed = new Map();
  const add = (steps: readonly Draft[], left: string): void => {
    if (found.length >= MAX_SUGGESTIONS) return;
    const printed = printSteps(steps, read, known);
    if (printed === null) return;
    const sentence = left === "" ? printed : `${printed} (leaves out: ${left})`;
    if (!found.some((each) => each.startsWith(printed))) found.push(sentence);
  };
  const { tokens, problem } = tokensOf(grammar, text);
  const isRepairable = problem === null && text.length <= MAX_LENGTH;
  const repaired = isRepairable ? repair(grammar, tokens, text, mood) : [];
  const [best, ...others] = repaired;
  if (best) add(best.steps, best.left);
  for (const steps of asked.readings.slice(0, 2)) add(steps, "");
  for (const { steps, left } of others) add(steps, left);
  return found;
};
