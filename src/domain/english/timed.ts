import type { StepInput } from "../catalogue/step.ts";
import { conditional, delayed, suits } from "./conditions.ts";
import { readEither, readSaid, readText } from "./readings.ts";
import type { Context } from "./search.ts";
import type { Token } from "./words.ts";

/** `"Save" is disabled while "Name" is empty`, `"Saved" appears once "Save" is clicked`: each clause for what it is. */
export const readConditional = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const found = conditional(tokens, source);
  if (!found) return null;
  const steps: StepInput[] = [];
  for (const { text, mood } of found.said) {
    const read = readSaid(text, { mood, isFirst: context.isFirst && steps.length === 0 });
    if (!read || read.length === 0 || !suits(read, mood)) return null;
    // Whether a second deed belongs to the condition is not known; the same one twice does.
    const [first] = read;
    if (mood === "when" && read.some((step) => step.target !== first?.target)) return null;
    steps.push(...read);
  }
  return steps;
};

/** `after 2 seconds verify …`, `"A" appears after 500 ms`: what is waited for a while, and then. */
export const readDelayed = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const found = delayed(tokens, source);
  if (!found) return null;
  const before = readText(`wait ${found.time}`, context);
  const read = before && readEither(found.rest, source, { ...context, isFirst: false }, isClaimed);
  const isDue = found.isBefore || read?.every(({ action }) => action.startsWith("assert_"));
  return before && read && isDue ? [...before, ...read] : null;
};
