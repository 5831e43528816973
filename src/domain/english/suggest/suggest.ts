import type { SentenceReading } from "../engine/sentence.ts";
import { printSteps, type Read } from "../print/print.ts";

const MAX_SUGGESTIONS = 3;
/** The most shortened sentences that are tried for one line. */
const MAX_TRIES = 6;

/**
 * Up to three sentences for a line that is not read, made of its own words: the readings that contradict each other, the
 * doubtful reading with its names in quotes, or the longest beginning that is read, which names the words that it leaves out.
 */
export const suggestionsFor = (
  text: string,
  asked: Extract<SentenceReading, { kind: "asked" }>,
  read: Read,
): readonly string[] => {
  const printed = asked.readings.flatMap((steps) => printSteps(steps, read) ?? []);
  const found = printed.length > 0 ? printed : beginnings(text, read);
  return [...new Set(found)].slice(0, MAX_SUGGESTIONS);
};

/** The longest beginning of a sentence that is read. */
const beginnings = (text: string, read: Read): readonly string[] => {
  if (text.length > 400) return [];
  const ends = [...text.matchAll(/(?<=\S)\s+(?=\S)/g)].map(({ index }) => index);
  for (const end of ends.slice(-MAX_TRIES).reverse()) {
    const begun = read(text.slice(0, end).replace(/[,;:]$/, ""));
    if (begun.kind !== "read") continue;
    const sentence = printSteps(begun.steps, read);
    return sentence === null ? [] : [`${sentence} (leaves out: ${text.slice(end).trim()})`];
  }
  return [];
};
