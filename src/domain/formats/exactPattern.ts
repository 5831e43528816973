import { escapeRegExp, parsePattern } from "../catalogue/values.ts";

/** A text as a pattern of ours that means just this text: with `*` or slashes around it, it would mean more. */
export const exactPattern = (text: string): string =>
  parsePattern(text).kind === "exact" ? text : `/^${escapeRegExp(text)}$/`;
