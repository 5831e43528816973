import { parseTarget } from "../../catalogue/target.ts";
import { actionDefinitions, isAction } from "../../catalogue/vocabulary.ts";
import type { SentenceReading } from "../engine/sentence.ts";
import type { Draft } from "../engine/types.ts";
import { quote, quoteLiteral } from "../words.ts";

/** Reads a sentence: a printed one must come back to its step. */
export type Read = (text: string) => SentenceReading;

const targetPhrases = ({ action, target }: Draft): readonly string[] => {
  if (target === "") return [""];
  const { find, ordinal } = parseTarget(target);
  const isReadable = find.by === "kind" || ordinal !== null;
  const readable = isReadable ? [`the ${target}`, target] : [];
  if (action === "assert_count") readable.reverse();
  const plain = find.by === "selector" || find.by === "testId" ? [target] : [];
  return [...readable, ...plain, quote(target), quoteLiteral(target)];
};

const BARE = /^[\w/:.?&=%#+~@-]{1,60}$/;

const valuePhrases = ({ action, value }: Draft): readonly string[] => {
  const isBare = (action === "navigate" || action === "press") && BARE.test(value);
  return [...(value === "" || isBare ? [value] : []), quote(value), quoteLiteral(value)];
};

const isSame = (read: SentenceReading, step: Draft): boolean => {
  if (read.kind !== "read" || read.steps.length !== 1) return false;
  const [found] = read.steps;
  return (
    found?.action === step.action &&
    found.target === step.target &&
    found.value === step.value &&
    found.optional === step.optional
  );
};

/** The canonical sentence of a step, which `read` reads as the same step; null if there is none. */
const printStep = (step: Draft, read: Read): string | null => {
  if (!isAction(step.action)) return null;
  const { english } = actionDefinitions[step.action];
  for (const target of targetPhrases(step)) {
    for (const value of valuePhrases(step)) {
      const said = english({ target, value, raw: step.value, rawTarget: step.target });
      const sentence = step.optional
        ? `Optionally, ${said.charAt(0).toLowerCase()}${said.slice(1)}`
        : `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
      if (isSame(read(sentence), step)) return sentence;
    }
  }
  return null;
};

/** The sentences of steps that were printed before: the readings of one line share most of them. */
export type Printed = Map<string, string | null>;

/** The canonical sentences of several steps as one text; null if one of them has none. */
export const printSteps = (
  steps: readonly Draft[],
  read: Read,
  printed: Printed = new Map(),
): string | null => {
  const sentences: (string | null)[] = [];
  for (const step of steps) {
    const key = JSON.stringify(step);
    const sentence = printed.has(key) ? printed.get(key) : printStep(step, read);
    printed.set(key, sentence ?? null);
    sentences.push(sentence ?? null);
    if (!sentence) break;
  }
  return sentences.some((sentence) => sentence === null) || sentences.length === 0
    ? null
    : `${sentences.join(". ")}`;
};
