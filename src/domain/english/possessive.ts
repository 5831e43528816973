import { parseTarget } from "../catalogue/target.ts";
import type { Draft } from "./formTables.ts";
import { word } from "./phrases.ts";
import { quoteLiteral, type Token } from "./words.ts";

const LEADS = new Set(
  "verify check ensure confirm assert expect and then now also that if but make sure".split(" "),
);
const ATTRIBUTE =
  /^(?:placeholder|value|text|alt|alt text|label|title|href|tooltip text|maxlength|type|name|class|id|src|target|aria-label)$/;
const CLAIMS =
  /^(?:is|are|has|have|contains|contain|shows|show|reads|read|says|say|should|must|displays|equals|becomes|changes)$/;

/** Whether a sentence begins with what something has that was spoken of before. */
export const startsWithIts = (tokens: readonly Token[]): boolean => itsAt(tokens) >= 0;

const itsAt = (tokens: readonly Token[]): number => {
  let at = 0;
  while (at < 4 && LEADS.has(word(tokens[at]))) at++;
  return word(tokens[at]) === "its" ? at : -1;
};

/**
 * `Its placeholder is "Name"`, `Its first row contains "Ann"`: the sentence with what was spoken of just before in its
 * place; null when nothing was, or it is no claim of that kind.
 */
export const withIts = (
  tokens: readonly Token[],
  source: string,
  last: Draft | null | undefined,
): string | null => {
  const at = itsAt(tokens);
  const owner = last?.target ?? "";
  const claim = tokens.findIndex((token, index) => index > at + 1 && CLAIMS.test(word(token)));
  const [from, to] = [tokens[at + 1], tokens[claim - 1]];
  if (at < 0 || owner === "" || claim < 0 || !from || !to) return null;
  const lead = at === 0 ? "" : `${source.slice(tokens[0]?.start, tokens[at - 1]?.end)} `;
  const owned = source.slice(from.start, to.end);
  const rest = source.slice(tokens[claim]?.start, tokens.at(-1)?.end);
  if (ATTRIBUTE.test(owned.toLowerCase())) {
    const { find } = parseTarget(owner);
    const said = find.by === "kind" ? `the ${owner}` : quoteLiteral(owner);
    return `${lead}the ${owned} of ${said} ${rest}`;
  }
  const there = `${owned} in the ${owner}`;
  return parseTarget(there).within === null ? null : `${lead}the ${there} ${rest}`;
};
