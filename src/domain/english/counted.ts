import { findKind, kinds } from "../catalogue/kinds.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const NUMBERS: ReadonlyMap<string, number> = new Map(
  Object.entries({ two: 2, three: 3, four: 4, five: 5, six: 6, both: 2 }),
);

const numberOf = (token: Token | undefined): number | null => {
  const said = word(token);
  return NUMBERS.get(said) ?? (/^[2-9]$/.test(said) ? Number(said) : null);
};

/**
 * `There are two buttons, "A" and "B"`, `the popup has the following links: "A", "B"`: the things that are counted and
 * named, each to be seen; none where their number is another one, null for anything else.
 */
export const namedAndCounted = (
  tokens: readonly Token[],
  source: string,
): readonly string[] | null => {
  const first = tokens.findIndex(isQuoted);
  if (first < 3) return null;
  const isMark =
    tokens[first - 1]?.kind === "mark" && /^[,:(]$/.test(tokens[first - 1]?.text ?? "");
  const kindAt = isMark ? first - 2 : first - 1;
  const kind = word(tokens[kindAt]);
  if (!kind.endsWith("s") || findKind(kind) === null) return null;
  const start = tokens.findIndex(
    (token, at) => at < kindAt && (numberOf(token) !== null || word(token) === "following"),
  );
  if (start < 1 || start > 10 || kindAt > start + 3) return null;
  const isLed = tokens.slice(0, start).every((token) => LEADS.test(word(token)));
  if (isLed && start > 5) return null;
  const owner = isLed ? "" : ownerOf(tokens.slice(0, start), source);
  if (owner === null || (isLed && !isMark && numberOf(tokens[start]) === null)) return null;
  const names = tokens.slice(first).filter(isQuoted);
  const rest = tokens.slice(first).filter((token) => !isQuoted(token));
  const isList = rest.every(({ lower }) => /^(?:,|and|&|\))$/.test(lower));
  if (names.length < 2 || !isList) return null;
  const count = numberOf(tokens[start]);
  if (count !== null && names.length !== count) return [];
  const single = kind.replace(/(x|ch)es$/, "$1").replace(/s$/, "");
  return names.map(
    ({ start: from, end }) => `I should see the ${single} ${source.slice(from, end)}${owner}`,
  );
};

const CLAIM =
  /^(?:verify|check|ensure|confirm|assert|validate|expect|that|if|i|you|we|should|see|make|sure)$/;
const HAS = /^(?:has|have|contains?|shows?|displays?|includes?|lists?|offers?)$/;

/** `the popup has …`: where they are; null when it is not said of a thing that holds others. */
const ownerOf = (tokens: readonly Token[], source: string): string | null => {
  let from = 0;
  while (CLAIM.test(word(tokens[from]))) from++;
  const verb = tokens.findIndex((token, at) => at > from && HAS.test(word(token)));
  const isOver = tokens
    .slice(verb + 1)
    .every((token) => /^(?:the|all|of|exactly|only)$/.test(word(token)));
  let last = verb - 1;
  while (/^(?:should|must|will|now|also)$/.test(word(tokens[last]))) last--;
  const kind = findKind(word(tokens[last])) ?? findKind(word(tokens[last - 1]));
  if (verb < 0 || !isOver || kind === null) return null;
  const owner = source.slice(tokens[from]?.start, tokens[last]?.end);
  if (/^(?:the )?(?:page|screen)$/i.test(owner)) return "";
  return kinds[kind].container ? ` in the ${owner.replace(/^the /i, "")}` : null;
};

const LEADS =
  /^(?:there|are|should|be|must|i|we|you|see|verify|check|that|the|page|has|have|shows|contains|expect|ensure)$/;
