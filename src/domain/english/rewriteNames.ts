import { findKind } from "../catalogue/kinds.ts";
import { ordinalOf } from "../catalogue/targetParts.ts";
import type { Say } from "./rewriteClaims.ts";
import { quote, type Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isQuoted = (token: Token | undefined): boolean => token?.kind === "quoted";
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&|or|then|but)$/.test(word(token));

/** `I should see neither "A" nor "B"`; `Neither "A" nor "B" is visible`. */
export const neitherNor = (tokens: readonly Token[], say: Say): string[] | null => {
  const neither = tokens.findIndex((token) => word(token) === "neither");
  const nor = tokens.findIndex((token) => word(token) === "nor");
  if (neither < 0 || nor < neither + 2 || nor === tokens.length - 1) return null;
  const names = [say(neither + 1, nor)];
  const isClaim =
    /^(?:verify|check|ensure|assert|confirm|validate)$/.test(word(tokens[0])) && neither <= 2;
  if (neither > 0 && !isClaim) {
    if (!/^(?:see|sees)$/.test(word(tokens[neither - 1]))) return null;
    names.push(say(nor + 1));
  } else {
    const verb = tokens.findIndex(
      (token, at) => at > nor && /^(?:is|are|should)$/.test(word(token)),
    );
    const rest = verb < 0 ? "" : say(verb).toLowerCase();
    if (!/^(?:is|are|should be) (?:visible|displayed|shown|present)$/.test(rest)) return null;
    names.push(say(nor + 1, verb));
  }
  return names.map((name) => `I should not see ${name}`);
};

/** `I should not see "A" or "B"`: neither of them. */
export const notOr = (tokens: readonly Token[], say: Say): string[] | null => {
  const at = tokens.findIndex((token) => word(token) === "see");
  const or = tokens.length - 2;
  const isNegated = /^(?:not|no|longer|don't|shouldn't|can't|cannot)$/.test(word(tokens[at - 1]));
  const isPair = or === at + 2 && word(tokens[or]) === "or";
  if (at < 1 || !isNegated || !isPair) return null;
  if (!isQuoted(tokens[at + 1]) || !isQuoted(tokens[or + 1])) return null;
  return [say(0, or), `${say(0, at + 1)} ${say(or + 1)}`];
};

const PREDICATE =
  /^(?:is|are|should|must|appear|exist|disappear|to|buttons|links|fields|inputs|headings|tabs|checkboxes|options|images|messages|texts|items|rows|columns|cells|sections|dropdowns)$/;

/** `Verify that "A", "B" and "C" are visible`: what is said of the last is said of each. */
export const distributed = (tokens: readonly Token[], say: Say): string[] | null => {
  const first = tokens.findIndex(isQuoted);
  if (first < 0) return null;
  const names: string[] = [say(first, first + 1)];
  let at = first + 1;
  while (at < tokens.length) {
    let next = at;
    while (isMark(tokens[next], ",") || /^(?:and|&|the)$/.test(word(tokens[next]))) next++;
    if (next === at || !isQuoted(tokens[next])) break;
    names.push(say(next, next + 1));
    at = next + 1;
  }
  const rest = tokens.slice(at).filter((token) => !/^(?:all|both|each)$/.test(word(token)));
  // `Both the "Name" and the "Email" field`: the kind is said of both.
  const isBoth = tokens.slice(0, first).some((token) => word(token) === "both");
  const isOfBoth = isBoth && names.length === 2 && PREDICATE.test(word(rest[1])) && isKind(rest[0]);
  const isSaid = isOfBoth || PREDICATE.test(word(rest[0]));
  if (names.length < 2 || !isSaid || rest.some(isJoint)) return null;
  // "to" speaks of the list only behind a verb: `expect "A" and "B" to be visible`, not `drag "A" and "B" to`.
  if (word(rest[0]) === "to" && !/^(?:be|have|appear|exist)$/.test(word(rest[1]))) return null;
  if (tokens.slice(0, first).some(isJoint) || rest.some(isQuoted)) return null;
  let lead = first;
  while (/^(?:both|the)$/.test(word(tokens[lead - 1])) && isBoth) lead--;
  const one = isBoth ? singular(word(rest[0])) : null;
  const said = [
    ...(one === null ? rest.slice(0, 1).map(({ text }) => text) : [one]),
    ...rest.slice(1).map(({ text }) => text),
  ].join(" ");
  return names.map((name) =>
    [say(0, lead), isOfBoth || one !== null ? `the ${name}` : name, said].filter(Boolean).join(" "),
  );
};

const isKind = (token: Token | undefined): boolean =>
  token?.kind === "word" && !token.lower.endsWith("s") && findKind(token.lower) !== null;

const PERSON = /^(?:the|a|an|i|user|we|you|should|can|see|that|both|all|following)$/;

/** `the fields "A" and "B"`, `Archive, Restore and Delete buttons`: each of them is one of its kind. */
export const eachOfKind = (tokens: readonly Token[], say: Say): string[] | null => {
  const kind = tokens.findIndex((token) => singular(word(token)) !== null);
  const one = singular(word(tokens[kind]));
  if (kind < 1 || !one) return null;
  const before = namesBefore(tokens, kind);
  const [names, from, to] = before ?? namesAfter(tokens, kind);
  const rest = tokens.slice(to);
  if (names.length < 2 || tokens.slice(0, from).some(isJoint) || rest.some(isJoint)) return null;
  if (rest.some(({ kind }) => kind === "quoted") && before !== null) return null;
  const lead = tokens.slice(0, from).filter((token) => !/^(?:the|both|all)$/.test(word(token)));
  const said = lead.length === 0 ? "" : say(0, from).replace(/ (?:the|both|all)$/i, "");
  const after = rest
    .map(({ text, kind }) => (kind === "quoted" ? quote(text) : text))
    .filter((text) => !/^(?:all|both|each)$/.test(text))
    .join(" ");
  return names.map((name) =>
    [said, before ? `the ${name} ${one}` : `the ${one} ${name}`, after].filter(Boolean).join(" "),
  );
};

/** The kind of which a word names several; null for any other word. */
const singular = (plural: string): string | null => {
  if (!plural.endsWith("s") || findKind(plural) === null) return null;
  const one = /(?:x|sh|ch|s)es$/.test(plural) ? plural.slice(0, -2) : plural.slice(0, -1);
  return findKind(one) === null ? null : one;
};

type Names = readonly [names: readonly string[], from: number, to: number];

const namesAfter = (tokens: readonly Token[], kind: number): Names => {
  const names: string[] = [];
  let at = kind + 1;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token?.kind === "quoted") names.push(quote(token.text));
    else if (!isMark(token, ",") && !/^(?:and|&)$/.test(word(token))) break;
    at++;
  }
  return [names, kind, at];
};

/** Names that begin with a capital, or stand in quotes, before the word for their kind. */
const namesBefore = (tokens: readonly Token[], kind: number): Names | null => {
  const names: string[] = [];
  let words: string[] = [];
  let at = kind - 1;
  for (; at >= 0; at--) {
    const token = tokens[at];
    if (isMark(token, ",") || /^(?:and|&)$/.test(word(token))) {
      if (words.length > 0) names.unshift(words.join(" "));
      words = [];
      continue;
    }
    if (token?.kind === "quoted" && words.length === 0) {
      words = [quote(token.text)];
      continue;
    }
    const isName = token?.kind === "word" && /^\p{Lu}/u.test(token.text) && at > 0;
    if (!isName || PERSON.test(word(token)) || words[0]?.startsWith('"')) break;
    words.unshift(token.text);
  }
  if (words.length > 0) names.unshift(words.join(" "));
  return names.length > 1 ? [names, at + 1, kind + 1] : null;
};

const isOrdinal = (token: Token | undefined): boolean =>
  token !== undefined && ordinalOf(token) !== null;

/** `the 1st and 3rd "Include" checkboxes`: each of the two. */
export const nthAndNth = (tokens: readonly Token[], say: Say): string[] | null => {
  const and = tokens.findIndex(
    (token, at) =>
      word(token) === "and" && at > 0 && isOrdinal(tokens[at - 1]) && isOrdinal(tokens[at + 1]),
  );
  if (and < 2 || and + 2 >= tokens.length) return null;
  const others = [...tokens.slice(0, and), ...tokens.slice(and + 1)];
  if (others.some(isJoint)) return null;
  const lead = say(0, and - 1);
  return [`${lead} ${say(and - 1, and)} ${say(and + 2)}`, `${lead} ${say(and + 1)}`];
};
