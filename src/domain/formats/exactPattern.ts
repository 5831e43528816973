import { escapeRegExp, parsePattern } from "../catalogue/values.ts";

/** Converts a text to a pattern that matches exactly this text. Escapes `*` and enclosing slashes. */
export const exactPattern = (text: string): string =>
  parsePattern(text).kind === "exact" ? text : `/^${escapeRegExp(text)}$/`;
