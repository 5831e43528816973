import { word } from "./phrases.ts";
import { textOf } from "./places.ts";
import type { Say } from "./rewriteClaims.ts";
import { thingAt } from "./things.ts";
import type { Token } from "./words.ts";

const CLAIMED = /^(?:are|should|must|appear|exist|show|have|become|remain|stay|disappear)$/;

/**
 * `Both the "Name" and the "Email" field should be displayed`: each of them, of the kind that is said but once. Null
 * for all others.
 */
export const bothThings = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex((token, index) => index < 5 && word(token) === "both");
  if (at < 0 || (at > 0 && !/^(?:that|verify|check|confirm|ensure|if)$/.test(word(tokens[at - 1]))))
    return null;
  const one = thingAt(tokens, at + 1);
  if (!one || word(tokens[one.to]) !== "and") return null;
  const other = thingAt(tokens, one.to + 1);
  const rest = tokens.slice(other?.to ?? tokens.length);
  if (!other || !CLAIMED.test(word(rest[0]))) return null;
  if (rest.some((token) => token.kind !== "word" || /^(?:and|or|but)$/.test(word(token))))
    return null;
  const kind = one.kind === "" && one.isQuoted ? other.kind : one.kind;
  const said = rest.map(({ text, lower }) => (lower === "are" ? "is" : text)).join(" ");
  return [{ ...one, kind }, other].map((thing) =>
    `${say(0, at)} the ${textOf(thing)} ${said}`.trim(),
  );
};
