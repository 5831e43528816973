import { secretOf } from "../../domain/catalogue/secrets.ts";
import { VARIABLE } from "../../domain/catalogue/values.ts";
import { StepError } from "./errors.ts";

/**
 * Puts the values of variables into a text, and those of secrets (`secret.name`). Values are put in as they are:
 * what looks like a variable inside a value stays text. Throws StepError, with the names that there are, for one
 * that is unknown.
 */
export const substitute = (
  text: string,
  variables: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>> = {},
): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => {
    const known = secretOf(name) === null ? variables : secrets;
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value !== undefined) return value;
    const names = Object.keys(variables);
    const there = names.length > 0 ? `The run has: ${names.join(", ")}.` : "The run has none.";
    throw new StepError(`There is no variable ${whole}. ${there}`);
  });
