import type { ParseWarning } from "../english/parse.ts";

/** Maximum number of suggestions for a sentence. */
const MAX_SUGGESTIONS = 3;

/**
 * Describes a sentence that was not understood, such as
 * `shopping.yaml:2: could not understand "Log in as an admin". Did you mean: Run the test "Log in"`.
 * `firstLine` is the line of the file at which the text begins.
 */
export const notUnderstood = (
  file: string,
  { line, text, message, suggestions }: ParseWarning,
  firstLine = 1,
): string => {
  const where = `${file}:${line + firstLine - 1}`;
  const reason = /^not understood\.?$/i.test(message.trim()) ? "" : ` ${message}`;
  const hint =
    suggestions.length === 0
      ? ""
      : ` Did you mean: ${suggestions.slice(0, MAX_SUGGESTIONS).join(" | ")}`;
  return `${where}: could not understand "${text}".${reason}${hint}`;
};
