import type { StepInput } from "../../catalogue/step.ts";
import { describeStep } from "../../english/describe.ts";
import { parseEnglish } from "../../english/parse.ts";
import { oneLine } from "../script/text.ts";
import { plainDataOf, type TestDocument } from "../testDocument.ts";
import { writeNote } from "./notes.ts";

/** A step as a sentence that our grammar reads back to it. */
type Sentence = {
  readonly step: StepInput;
  readonly words: string;
  readonly description: string;
  /** No sentence is read back to it. */
  readonly isUnsaid: boolean;
};

/**
 * Writes a test as a feature with one scenario: the author's sentences where they parse to the step, else generated
 * ones. Parsing the result gives the same steps and data; fields that no sentence can express are written as comments
 * above it. The output is deterministic.
 */
export const toGherkin = (document: TestDocument): string => {
  const sentences = document.steps.map(sentenceOf);
  const lines = withKeywords(sentences);
  const name = oneLine(document.name);
  const data = plainDataOf(document);
  return [
    `Feature: ${name}`,
    "",
    ...(Object.keys(data).length > 0 ? [`  ${writeNote(data)}`] : []),
    `  Scenario: ${name}`,
    ...sentences.flatMap(({ step, description, isUnsaid }, index) => {
      const { action, target, value, optional } = step;
      const note = {
        ...(isUnsaid ? { step: { action, target, value, optional } } : {}),
        ...(step.disabled ? { disabled: true } : {}),
        ...(step.description === description ? {} : { description: step.description }),
      };
      const above = Object.keys(note).length > 0 ? [`    ${writeNote(note)}`] : [];
      return [...above, `    ${lines[index] ?? ""}`];
    }),
    "",
  ].join("\n");
};

const sentenceOf = (step: StepInput): Sentence => {
  const own = step.description;
  const isSaid = own !== "" && !/[\r\n\u0085\u2028\u2029]/.test(own) && own.trim() === own;
  const words = isSaid && reads(own, step) ? own : describeStep(step);
  const description = parseEnglish(words).steps[0]?.description ?? "";
  const isUnsaid = !reads(words, step);
  return { step, words: isUnsaid ? oneLine(words) : words, description, isUnsaid };
};

/** Whether a line parses to exactly this step; name and enabled state are not compared. */
const reads = (line: string, step: StepInput): boolean => {
  const { steps, warnings } = parseEnglish(line);
  const [read] = steps;
  return steps.length === 1 && warnings.length === 0 && read !== undefined && isSame(read, step);
};

const isSame = (one: StepInput, other: StepInput): boolean =>
  one.action === other.action &&
  one.target === other.target &&
  one.value === other.value &&
  one.optional === other.optional;

const keywordOf = ({ action }: StepInput, isFirst: boolean): string => {
  if (isFirst && action === "navigate") return "Given";
  return action.startsWith("assert_") ? "Then" : "When";
};

/** With Given, When and Then where every step is read the same with them; else with the `*` that says nothing. */
const withKeywords = (sentences: readonly Sentence[]): readonly string[] => {
  let last = "";
  const lines = sentences.map(({ step, words }, index) => {
    const keyword = keywordOf(step, index === 0);
    const shown = keyword === last ? "And" : keyword;
    last = keyword;
    return { line: `${shown} ${words}`, alone: `${keyword} ${words}` };
  });
  const together = parseEnglish(lines.map(({ line }) => line).join("\n"));
  const isUnderstood =
    sentences.every(({ isUnsaid }) => !isUnsaid) &&
    together.warnings.length === 0 &&
    together.steps.length === sentences.length &&
    sentences.every(({ step, description }, index) => {
      const read = together.steps[index];
      return read && isSame(read, step) && read.description === description;
    }) &&
    sentences.every(({ step }, index) => reads(lines[index]?.alone ?? "", step));
  return isUnderstood ? lines.map(({ line }) => line) : sentences.map(({ words }) => `* ${words}`);
};
