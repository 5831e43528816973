import type { StepInput } from "../catalogue/step.ts";
import { parseTarget } from "../catalogue/target.ts";
import { actionDefinitions, isAction } from "../catalogue/vocabulary.ts";
import { parseEnglish } from "./parse.ts";
import { quote, quoteLiteral } from "./words.ts";

/** What a step does; its description and whether it is disabled are not said. */
export type DescribedStep = Pick<StepInput, "action" | "target" | "value"> & { optional?: boolean };

/**
 * Says a step in English, as short as the grammar reads back to the same step: names without needless
 * quotes where that is certain, and texts marked to be taken as they are where nothing else is.
 * A step of an unknown action is said as its parts.
 */
export const describeStep = (step: DescribedStep): string => {
  if (!isAction(step.action))
    return [step.action, step.target, step.value].filter(Boolean).join(" ");
  const { english } = actionDefinitions[step.action];
  const prefix = step.optional ? "Optionally, " : "";
  let sentence = "";
  for (const target of targetPhrases(step)) {
    for (const value of valuePhrases(step)) {
      const said = english({ target, value, raw: step.value, rawTarget: step.target });
      const isSpeaking = prefix && !said.startsWith("I ");
      const first = isSpeaking ? said.charAt(0).toLowerCase() : said.charAt(0).toUpperCase();
      sentence = `${prefix}${first}${said.slice(1)}`;
      if (readsBack(sentence, step)) return sentence;
    }
  }
  return sentence;
};

const targetPhrases = ({ action, target }: DescribedStep): string[] => {
  if (target === "") return [""];
  const { find, ordinal } = parseTarget(target);
  const readable = find.by === "kind" || ordinal ? [`the ${target}`, target] : [];
  // "There should be 3 items"
  if (action === "assert_count") readable.reverse();
  const plain = find.by === "selector" || find.by === "testId" ? [target] : [];
  return [...readable, ...plain, quote(target), quoteLiteral(target)];
};

const SIMPLE = /^[\w/:.?&=%#+~@-]{1,60}$/;

const valuePhrases = ({ action, value }: DescribedStep): string[] => {
  if (value === "") return ["", quote(value)];
  // Addresses and keys are said bare; texts stand in quotes, so that one sees where they end.
  const isBare = ["navigate", "press"].includes(action) && SIMPLE.test(value);
  return [...(isBare ? [value] : []), quote(value), quoteLiteral(value)];
};

const readsBack = (sentence: string, step: DescribedStep): boolean => {
  const { steps, warnings } = parseEnglish(sentence);
  const [read] = steps;
  return (
    warnings.length === 0 &&
    steps.length === 1 &&
    read?.action === step.action &&
    read.target === step.target &&
    read.value === step.value &&
    read.optional === (step.optional ?? false)
  );
};
