import type { Step } from "./step.ts";

/** The most of a test that is searched, in characters: more would not fit into what PostgreSQL indexes of one text. */
const MAX_LENGTH = 50_000;

/**
 * The words of a text as search knows them: letters and digits in small letters, everything else a space. The same is
 * done to what is searched for, so that `shop.example/login` is found by each of its parts.
 */
export const searchWords = (text: string): readonly string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** What of a test can be found besides its name: its own words and those of its steps. */
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
