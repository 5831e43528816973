import type { SentenceReading } from "../engine/sentence.ts";

/** Up to three sentences near to a line that is not read. */
export const suggestionsFor = (
  _text: string,
  _read: (text: string) => SentenceReading,
): readonly string[] => [];
