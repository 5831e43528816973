import { quote } from "../words.ts";
import type { Line } from "./lines.ts";

/** An instruction whose fields and texts follow in a table. */
export type Following = {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The instruction that a line stands for, empty for the table's head; null when the table is over. */
  next(line: Line): string | null;
  /** Whether anything has followed. */
  isUsed(): boolean;
};

const INTRODUCTION =
  /^(?:(?:i|we|you|they|(?:the )?user) )?(?:fills?|enters?|completes?|types?|inputs?|provides?|populates?)(?: (?:in|out))?(?: (?:the|this) (?:form|fields|details|page|data))?(?: with)?(?: in)? the following(?: [a-z]{1,20}){0,3} ?[:.]?$/i;
const HEAD =
  /^(?:fields?|field names?|labels?|names?|inputs?|elements?|keys?|values?|texts?|data)$/i;

/** `Fill in the following:` and what follows it; null for any other instruction. */
export const followingOf = (text: string, index: number): Following | null => {
  if (text.length > 100 || !INTRODUCTION.test(text)) return null;
  let rows = 0;
  return {
    line: index + 1,
    text,
    isUsed: () => rows > 0,
    next: (line) => {
      if (line.kind !== "row" || line.cells.length !== 2) return null;
      const [name = "", value = ""] = line.cells.map((cell) => cell.text);
      rows++;
      if (rows === 1 && HEAD.test(name) && HEAD.test(value)) return "";
      const isQuoted = /^".*"$/.test(value);
      return `Fill ${/^".*"$/.test(name) ? name : quote(name)} with ${isQuoted ? value : quote(value)}`;
    },
  };
};
