import type { Step } from "./step.ts";

/** Maximum length of indexed text, in characters, within the limit of PostgreSQL's tsvector. */
const MAX_LENGTH = 50_000;

/**
 * Splits a text into lower-case words of letters and digits. Applied to tests and queries, so that each part of
 * `shop.example/login` finds it.
 */
export const searchWords = (text: string): readonly string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** The searchable text besides the name: source text and steps. */
export const searchTextOf = (content: {
  readonly text: string;
  readonly steps: readonly Step[];
}): string => {
  const steps = content.steps.flatMap(({ description, target, value }) => [
    description,
    target,
    value,
  ]);
  const all = [content.text, ...steps].join("\n").slice(0, MAX_LENGTH);
  return searchWords(all).join(" ").slice(0, MAX_LENGTH);
};
