import type { StepInput } from "../../catalogue/step.ts";
import { VARIABLE, variablesOf } from "../../catalogue/values.ts";

/** Characters that source code must escape: control, format, private use, surrogate and separator. */
export const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text on one line, for comments. */
export const oneLine = (text: string): string =>
  text.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();

/** The comment of a step: its position and its description, or its action, target and value. */
export const stepTitle = (step: StepInput, position: number): string => {
  const { description, action, target, value } = step;
  return `${position}. ${description || [action, target, value].filter(Boolean).join(" ")}`;
};

/** Distinct identifiers of a script by variable name. */
export const scriptVariables = (
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

/** Converts a text with `${name}` to a string expression. `quote` writes a literal. */
export const expressionOf = (
  text: string,
  names: ReadonlyMap<string, string>,
  quote: (text: string) => string,
): string => {
  const parts: string[] = [];
  let at = 0;
  for (const match of text.matchAll(VARIABLE)) {
    if (match.index > at) parts.push(quote(text.slice(at, match.index)));
    parts.push(names.get(match[1] ?? "") ?? quote(match[0]));
    at = match.index + match[0].length;
  }
  if (at < text.length || parts.length === 0) parts.push(quote(text.slice(at)));
  return parts.join(" + ");
};
