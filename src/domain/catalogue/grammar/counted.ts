import { findKind } from "../kinds.ts";
import type { Token } from "../words.ts";
import { isQuoted, word } from "./phrases.ts";

const NUMBERS: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  both: 2,
};

const numberOf = (token: Token | undefined): number | null => {
  const said = word(token);
  return NUMBERS[said] ?? (/^[2-9]$/.test(said) ? Number(said) : null);
};

/**
 * `There are two buttons, "A" and "B"`: the things that are counted and named, each to be seen; none where their number
 * is another one, null for anything else.
 */
export const namedAndCounted = (
  tokens: readonly Token[],
  source: string,
): readonly string[] | null => {
  const start = tokens.findIndex((token) => numberOf(token) !== null);
  const mark = tokens.findIndex(
    (token, at) => at > start && token.kind === "mark" && /^[,:(]$/.test(token.text),
  );
  if (start < 1 || start > 5 || mark < start + 2 || mark > start + 4) return null;
  if (!tokens.slice(0, start).every((token) => LEADS.test(word(token)))) return null;
  const kind = word(tokens[mark - 1]);
  const names = tokens.slice(mark + 1).filter(isQuoted);
  const rest = tokens.slice(mark + 1).filter((token) => !isQuoted(token));
  const isList = rest.every(({ lower }) => /^(?:,|and|&|\))$/.test(lower));
  if (findKind(kind) === null || names.length < 2 || !isList) return null;
  if (names.length !== numberOf(tokens[start])) return [];
  const single = kind.replace(/(x|ch)es$/, "$1").replace(/s$/, "");
  return names.map(
    ({ start: from, end }) => `I should see the ${single} ${source.slice(from, end)}`,
  );
};

const LEADS =
  /^(?:there|are|should|be|must|i|we|you|see|verify|check|that|the|page|has|have|shows|contains|expect|ensure)$/;
