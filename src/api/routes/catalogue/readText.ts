import { setImmediate as turn } from "node:timers/promises";
import { type ParsedEnglish, parseEnglish, parseInSlices } from "../../../domain/english/index.ts";

/** Shorter texts are parsed without interruption. In characters. */
const LONG_TEXT = 2_000;
/** The length of a time slice, in milliseconds. */
const SLICE_MS = 10;

/**
 * Parses plain English in time slices, so that a long text does not block the event loop. Same result as
 * `parseEnglish`, which has the result cached afterwards.
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
