import { variablesOf } from "./values.ts";

/** What the names of secrets begin with, where steps speak of them: `${secret.name}`. */
const PREFIX = "secret.";

/** The secret that a variable's name stands for (`secret.password` → `password`); null for any other variable. */
export const secretOf = (variable: string): string | null =>
  variable.startsWith(PREFIX) ? variable.slice(PREFIX.length) : null;

/** The names of the secrets that a text mentions, each once. */
export const secretsIn = (text: string): readonly string[] =>
  variablesOf(text).flatMap((name) => secretOf(name) ?? []);
