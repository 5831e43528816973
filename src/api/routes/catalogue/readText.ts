import { setImmediate as turn } from "node:timers/promises";
import { type ParsedEnglish, parseEnglish, parseInSlices } from "../../../domain/english/index.ts";

/** Shorter texts are read at once. */
const LONG_TEXT = 2_000;
/** How long a text is read before others have their turn, in ms. */
const SLICE_MS = 10;

/**
 * Reads plain English without keeping others waiting: a long text is read in slices of a few milliseconds.
 * The same as `parseEnglish`, which after this answers for the text at once.
 */
export const readText = async (text: string): Promise<ParsedEnglish> => {
  if (text.length < LONG_TEXT) return parseEnglish(text);
  const reading = parseInSlices(text);
  let since = performance.now();
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
    if (performance.now() - since < SLICE_MS) continue;
    await turn();
    since = performance.now();
  }
};
