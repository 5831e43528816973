import { ordinalOf } from "../catalogue/targetParts.ts";
import { parseDuration, parseViewport } from "../catalogue/values.ts";
import { type Slot, slot } from "./slotTypes.ts";
import type { Token } from "./words.ts";

const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

/** A whole number in figures or, up to twelve, in words; null for anything else. */
export const readNumber = (text: string): number | null => {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  const number = NUMBERS.indexOf(text);
  return number >= 0 ? number : null;
};

/** Reads a time; null for anything else. */
export const readTime = (
  quoted: string | null,
  raw: string,
  tokens: readonly Token[],
): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  if (/^\$\{[^}\s]+\}$/.test(raw)) return slot(raw, null, false);
  const number = NUMBERS.indexOf(tokens[0]?.lower ?? "");
  if (/^(?:a )?half a second$/i.test(raw)) return slot("500 ms", null, false);
  if (/^an? (?:second|minute)$/i.test(raw)) return slot(raw.replace(/^an?/i, "1"), null, false);
  const text = number > 0 ? `${number}${raw.slice(tokens[0]?.text.length ?? 0)}` : raw;
  return parseDuration(text) === null ? null : slot(text, null, false);
};

/** Reads the size of a window, or a device; null for anything else. */
export const readSize = (quoted: string | null, raw: string): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  const flat = raw
    .toLowerCase()
    .replace(/^an? /, "")
    .replace(/ (?:px|pixels)$/, "");
  const size = /^(\d{2,5}) ?(?:px)? ?(?:x|×|by|\*) ?(\d{2,5})(?:px)?$/.exec(flat);
  if (size) return slot(`${size[1]}x${size[2]}`, null, false);
  return parseViewport(flat) ? slot(raw.replace(/^an? /i, ""), null, false) : null;
};

/** Reads a number of pixels; null for anything else. */
export const readPixels = (quoted: string | null, raw: string): Slot | null => {
  if (quoted !== null) return slot(quoted, null, true);
  const pixels = /^([+-]?\d{1,6}) ?(?:px|pixels?)?$/i.exec(raw);
  return pixels ? slot(pixels[1] ?? "", null, false) : null;
};

/** `2nd`, `second` → `2`; `last` as it is. */
export const readOrdinal = (only: Token | null): Slot | null => {
  const ordinal = only?.kind === "word" ? ordinalOf(only) : null;
  if (!ordinal) return null;
  return slot(ordinal.at === "last" ? "last" : String(ordinal.nth), null, false);
};

/** Reads how many there are; null for anything else. */
export const readCount = (only: Token | null): Slot | null => {
  if (!only) return null;
  if (only.kind === "quoted")
    return /^(?:\d{1,7}|\$\{[^}\s]+\})$/.test(only.text) ? slot(only.text, null, true) : null;
  if (/^\d{1,7}$/.test(only.text) || /^\$\{[^}\s]+\}$/.test(only.text))
    return slot(only.text, null, false);
  const number = readNumber(only.lower);
  return number === null ? null : slot(String(number), null, false);
};
