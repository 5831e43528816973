import { VARIABLE, variablesOf } from "../values.ts";

/** Control, format, private, surrogate and separator characters: never printed as they are in source. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

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

/** A text as one comment line. */
export const pythonComment = (text: string): string =>
  `# ${text.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim()}`.trimEnd();

/** The Python names of a test's variables: one each, and no two the same. */
export const pythonVariables = (
  texts: readonly string[],
  stored: readonly string[] = [],
): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const variable of new Set([...texts.flatMap(variablesOf), ...stored])) {
    const base = `var_${variable.replace(/\W/g, "_").toLowerCase()}`;
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    names.set(variable, name);
  }
  return names;
};

/** A text with `${name}` in it as an expression of type str. */
export const pythonExpression = (text: string, names: ReadonlyMap<string, string>): string => {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(VARIABLE)) {
    if (match.index > at) parts.push(pythonString(text.slice(at, match.index)));
    parts.push(names.get(match[1] ?? "") ?? pythonString(match[0]));
    at = match.index + match[0].length;
  }
  if (at < text.length || parts.length === 0) parts.push(pythonString(text.slice(at)));
  return parts.join(" + ");
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
