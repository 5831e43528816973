import { UNPRINTABLE } from "../script/text.ts";

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Any text as a literal of TypeScript that evaluates to it. Nothing in it can end the literal or the line. */
export const typescriptString = (text: string): string =>
  `"${text.replace(/[\\"]/g, "\\$&").replace(UNPRINTABLE, escaped)}"`;

const escaped = (char: string): string => {
  const short = SHORT[char];
  if (short) return short;
  return [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
};
