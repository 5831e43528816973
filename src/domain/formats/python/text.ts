import { UNPRINTABLE } from "../script/text.ts";

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Any text as a Python string literal that evaluates to it. Nothing in it can end the literal or the line. */
export const pythonString = (text: string): string =>
  `"${text.replace(/[\\"]/g, "\\$&").replace(UNPRINTABLE, escapeCharacter)}"`;

const escapeCharacter = (char: string): string => {
  const short = SHORT[char];
  if (short) return short;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
};

/** A JavaScript regular expression as a Python expression of type re.Pattern. */
export const pythonRegExp = (source: string, flags: string): string => {
  const python = source
    .replaceAll("(?<=", "(?\u0000=")
    .replaceAll("(?<!", "(?\u0000!")
    .replaceAll("(?<", "(?P<")
    .replaceAll("(?\u0000", "(?<")
    .replace(/\\k<([^>]*)>/g, "(?P=$1)");
  const given = [...flags]
    .filter((flag) => "ims".includes(flag))
    .map((flag) => `re.${flag.toUpperCase()}`);
  // \d and \w mean ASCII in JavaScript.
  const all = flags.includes("u") ? given : ["re.A", ...given];
  return `re.compile(${pythonString(python)}${all.length > 0 ? `, ${all.join(" | ")}` : ""})`;
};
