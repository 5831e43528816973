import { variablesOf } from "./values.ts";

/** Prefix of secrets in variables: `${secret.name}`. */
const PREFIX = "secret.";

/** The name of the secret in a variable (`secret.password` → `password`). Null for any other variable. */
export const secretOf = (variable: string): string | null =>
  variable.startsWith(PREFIX) ? variable.slice(PREFIX.length) : null;

/** Distinct names of secrets in a text. */
export const secretsIn = (text: string): readonly string[] =>
  variablesOf(text).flatMap((name) => secretOf(name) ?? []);
