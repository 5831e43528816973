import { findKind } from "../catalogue/kinds.ts";
import { baseOf } from "./inflections.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, NEGATING, quotedIn, type Saying, written } from "./sayingParts.ts";
import { quote, type Token } from "./words.ts";

const CHANGING =
  /^(?:change|changes|set|sets|switch|switches|bump|update|updates|raise|lower|increase|decrease)$/;

/** What something is changed to: in quotes, or words that begin with a capital or a figure; null for anything else. */
const valueIn = (tokens: readonly Token[], source: string): string | null => {
  const [only] = tokens;
  if (!only || tokens.length > 4) return null;
  if (tokens.length === 1 && only.kind === "quoted") return written(tokens, source);
  const isPlain = tokens.every(
    ({ kind, text }) => kind === "word" && /^[\p{Lu}\d+-][\p{L}\d.%+-]*$/u.test(text),
  );
  return isPlain ? quote(written(tokens, source)) : null;
};

/** `Change the language to French via the "Language" dropdown`: it is chosen there. */
export const changedBy: Saying = (tokens, at, source) => {
  const to = tokens.findLastIndex((token, index) => index < at && word(token) === "to");
  if (!CHANGING.test(word(tokens[0])) || to < 2) return null;
  const what = tokens.slice(1, to);
  if (what.some((token) => isJoint(token) || NEGATING.test(word(token)))) return null;
  const value = valueIn(tokens.slice(to + 1, at), source);
  const thing = value === null ? null : placedThingAt(tokens, at + 1);
  if (!thing || findKind(thing.kind) !== "dropdown") return null;
  // `Set "Level" to 3 in the dropdown`: what is set is what the dropdown is called.
  if (thing.name === null && thing.places.length === 0) return null;
  // Whose it is may not be lost.
  const after = quotedIn(tokens.slice(at + 1));
  if (quotedIn(what).some((name) => !after.some(({ lower }) => lower === name.lower))) return null;
  const where = written(tokens.slice(at + 1, thing.to), source);
  const field = /^(?:the|its) /.test(where) ? where.replace(/^its /, "the ") : `the ${where}`;
  const row = forRow(tokens, thing.to, source);
  const end = row === null ? thing.to : tokens.length;
  const rest = tokens.slice(isJoint(tokens[end]) ? end + 1 : end);
  if (end < tokens.length && (!isJoint(tokens[end]) || rest.length === 0)) return null;
  const chosen = `select ${value} from ${field}${row ?? ""}`;
  return rest.length > 0 ? [chosen, written(withoutJoint(rest), source)] : [chosen];
};

const withoutJoint = (tokens: readonly Token[]): readonly Token[] =>
  isJoint(tokens[0]) ? tokens.slice(1) : tokens;

/** `for the "Tea light" row`: which row it is, as a place; null for anything else. */
const forRow = (tokens: readonly Token[], at: number, source: string): string | null => {
  const from = word(tokens[at + 1]) === "the" ? at + 2 : at + 1;
  const isRow = word(tokens[at]) === "for" && /^(?:row|line|item|card)$/.test(word(tokens.at(-1)));
  const name = tokens[from];
  return isRow && name?.kind === "quoted" && from + 2 === tokens.length
    ? ` in the ${written([name], source)} ${word(tokens.at(-1))}`
    : null;
};

/** `Change the role of "Jun Park" … in her row`: the row of who was named before. */
export const inTheirRow: Saying = (tokens, at, source) => {
  const isPlaced = /^(?:in|on|within|from)$/.test(word(tokens[at - 1]));
  const kind = word(tokens[at + 1]);
  const names = quotedIn(tokens.slice(0, at));
  const [name] = names;
  if (!isPlaced || names.length !== 1 || !name || !/^(?:row|line)$/.test(kind)) return null;
  if (baseOf(word(tokens[0])) === null) return null;
  // The name of a field is nobody's.
  const next = tokens[tokens.indexOf(name) + 1];
  const before = tokens[tokens.indexOf(name) - 1];
  const isOwner = /^(?:of|for|find|locate)$/.test(word(before)) && findKind(word(next)) === null;
  if (!isOwner) return null;
  const rest = written(tokens.slice(at + 2), source);
  const said = `${written(tokens.slice(0, at), source)} the ${written([name], source)} ${kind}`;
  return [`${said}${rest === "" ? "" : ` ${rest}`}`.replace(/ ([,;:])/g, "$1")];
};

/** `Log in to https://… using "a" in Email and "b" in Password`: the page, and what is typed there. */
export const signedInWith: Saying = (tokens, at, source) => {
  const first = word(tokens[0]);
  const isTwo = /^(?:log|sign)$/.test(first) && /^(?:in|on)$/.test(word(tokens[1]));
  if (!isTwo && !/^(?:login|log-in|sign-in|signin)$/.test(first)) return null;
  const from = isTwo ? 2 : 1;
  const place = tokens.slice(from, at);
  const address = place[1];
  const isAddress =
    place.length === 2 &&
    /^(?:to|at|on|into)$/.test(word(place[0])) &&
    /^(?:https?:\/\/|\/)\S*$/i.test(address?.text ?? "");
  if (place.length > 0 && !isAddress) return null;
  const rest = tokens.slice(at + 1);
  const isTyped = /^(?:in|into)$/.test(word(rest[1])) && rest.length > 2;
  if (!isTyped || rest.some((token) => NEGATING.test(word(token)))) return null;
  const typed = `enter ${written(rest, source)}`;
  return isAddress ? [`go to ${address?.text}`, typed] : [typed];
};

const withoutArticle = (tokens: readonly Token[]): readonly Token[] =>
  /^(?:the|a|an)$/.test(word(tokens[0])) ? tokens.slice(1) : tokens;

/** `give "Roof leak" as Subject`, `give email as a@b.test`: what is typed, and where. */
export const givenAs: Saying = (tokens, at, source) => {
  const start = /^(?:and|then)$/.test(word(tokens[0])) ? 1 : 0;
  if (!/^(?:give|gives)$/.test(word(tokens[start])) || at < start + 2) return null;
  const one = withoutArticle(tokens.slice(start + 1, at));
  const other = withoutArticle(tokens.slice(at + 1));
  const [first] = one;
  const [last] = other;
  const isName = (part: readonly Token[]): boolean =>
    part.length < 4 &&
    part.every(({ kind, text }) => kind === "word" && /^[\p{L}][\p{L}-]*$/u.test(text)) &&
    !part.some((token) => baseOf(word(token)) === word(token));
  // A text in quotes and words besides are told apart; so are words and what no word is.
  if (one.length === 1 && first?.kind === "quoted" && other.length > 0 && isName(other))
    return [`fill ${quote(written(other, source))} with ${written(one, source)}`];
  const isValue = other.length === 1 && (last?.kind === "quoted" || /[@\d]/.test(last?.text ?? ""));
  if (!isValue || !isName(one) || one.length === 0) return null;
  const value = last?.kind === "quoted" ? written(other, source) : quote(last?.text ?? "");
  return [`fill ${quote(written(one, source))} with ${value}`];
};

/** `Clear Search and enter "bike"`: what is typed into when it has been cleared is a field. */
export const clearedAndTyped: Saying = (tokens, at, source) => {
  const joint = tokens.findIndex((token, index) => index > 0 && isJoint(token));
  const verb = word(tokens[at]);
  const text = tokens[at + 1];
  if (!/^(?:clear|empty|clears|empties)$/.test(word(tokens[0])) || joint < 2 || at > joint + 2)
    return null;
  const name = tokens.slice(1, joint);
  const isNamed =
    name.length < 4 &&
    (name.every(({ kind, text: said }) => kind === "word" && /^\p{Lu}[\p{L}\d-]*$/u.test(said)) ||
      (name.length === 1 && name[0]?.kind === "quoted"));
  const after = tokens.slice(at + 2);
  // `Clear All` is what a button is called.
  if (
    /^(?:all|filters?|cart|basket|selection|history|form|cache|everything)$/.test(word(name.at(-1)))
  )
    return null;
  if (!isNamed || text?.kind !== "quoted" || !/^(?:type|enter|write)s?$/.test(verb)) return null;
  // What is typed elsewhere is said where.
  if (after.length > 0 && (!isJoint(after[0]) || after.length === 1)) return null;
  const field = name[0]?.kind === "quoted" ? written(name, source) : quote(written(name, source));
  const said = [`clear ${field} and type ${written([text], source)}`];
  return after.length > 0 ? [...said, written(withoutJoint(after.slice(1)), source)] : said;
};
