import { findKind, kinds } from "../catalogue/kinds.ts";
import { baseOf, TOLD } from "./inflections.ts";
import { isQuoted, PERSONS, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const isMark = (token: Token | undefined, marks: string): boolean =>
  token?.kind === "mark" && marks.includes(token.text);

const MAX_LEAD = 16;

/** With one of these it says when, where, how often or as whom: it may not be left out. */
const MATTERS =
  /^(?:if|unless|until|till|when|whenever|while|once|after|before|only|except|repeat|every|each|all|any|both|twice|again|or|either|instead|optional|optionally|alternative|alternatively|known|logged|signed|mobile|phone|tablet|desktop|admin|administrator|note|bug|issue|skip|actual|actually|currently|example|see|sees|find|finds|visible|hidden|shown|displayed)$/;
/** What a case of a test is called by its last word. */
const CASE =
  /^(?:case|path|test|scenario|flow|validation|login|log-in|logon|sign-in|registration|signup|sign-up|attempt|checkout|check|input|data|entry|mismatch|format|variant|password|username|e-mail|email|value|values|credentials)$/;
const QUALIFIED =
  /^(?:negative|positive|happy|edge|corner|valid|invalid|wrong|correct|incorrect|empty|missing|successful|unsuccessful|failed|failing|basic|main|simple|smoke|sanity|regression|boundary|error|unhappy|sad|standard|normal|usual|duplicate|too)$/;
const ABLE =
  /^(?:can|can't|cannot|may|could|accept|accepts|accepted|allow|allows|able|support|supports|possible|required|mandatory)$/;
const TRYING = /^(?:attempt|try|trying|attempting|tries|attempts)$/;

const isWord = ({ kind, text }: Token): boolean => kind === "word" && /^[\p{L}'’-]+$/u.test(text);

/** Whether a deed or a place that one goes to begins behind the colon. */
const startsDeed = (tokens: readonly Token[], at: number): boolean => {
  const said = word(tokens[at]);
  if (/^(?:on|i|he|she|they|we|you|user|the)$/.test(said)) return true;
  const base = baseOf(said);
  return base !== null && at + 1 < tokens.length && (base === said || TOLD.get(said) === base);
};

/**
 * `Edge case: enter "-1" …`, `The customer can pay by invoice: …`: how many words only name the case, or the ability, that
 * is shown by what stands behind the colon; 0 where they may say more.
 */
export const summedUp = (tokens: readonly Token[]): number => {
  const colon = tokens.findIndex(
    (token) => isMark(token, ":") || (token.kind === "word" && token.text === ":"),
  );
  // A colon before an address is none.
  const role =
    word(tokens[0]) === "as"
      ? [2, 3].find((end) => isRole(tokens.slice(0, end)) && ADDRESS.test(tokens[end]?.text ?? ""))
      : undefined;
  if (role !== undefined) return role;
  if (colon < 1 || colon > MAX_LEAD || colon + 2 >= tokens.length) return 0;
  const lead = tokens.slice(0, colon);
  if (isRole(lead)) return colon + 1;
  if (lead.some((token) => MATTERS.test(word(token)) || isMark(token, ",;"))) return 0;
  const first = word(lead[0]);
  const last = word(lead.at(-1));
  const isPlain = lead.every((token) => isWord(token) || DASH.test(token.text));
  if (isPlain && lead.length < 7 && startsDeed(tokens, colon + 1)) {
    const isCase = CASE.test(last) || lead.some((token) => CASE_WORD.test(word(token)));
    if (QUALIFIED.test(first) && isCase) return colon + 1;
    if (lead.length > 1 && CASE_WORD.test(last) && baseOf(first) !== first) return colon + 1;
  }
  if (TRYING.test(first) && isPlain && startsDeed(tokens, colon + 1)) return colon + 1;
  const able = lead.findIndex((token) => ABLE.test(word(token)));
  const isSeveral = lead.some(
    (token) => isQuoted(token) || /^(?:and|then|but|-|–|—|->|→)$/.test(word(token)),
  );
  const isAble =
    !isSeveral && able > 0 && !isQuoted(tokens[colon + 1]) && startsDeed(tokens, colon + 1);
  return isAble && !lead.some((_, at) => isPlace(lead, at)) ? colon + 1 : 0;
};

const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;

/** `As admin: …`: who acts. */
const isRole = (lead: readonly Token[]): boolean =>
  lead.length < 4 &&
  word(lead[0]) === "as" &&
  PERSONS.has(word(lead.at(-1))) &&
  (lead.length === 2 || /^(?:an?|the)$/.test(word(lead[1])));

const DASH = /^[-–—]$/;
const CASE_WORD = /^(?:case|path|test|scenario|flow|validation|attempt)$/;

/** A place is said of all that follows: `In the "Billing" section one can …`. */
const isPlace = (lead: readonly Token[], at: number): boolean => {
  const kind = findKind(word(lead[at]));
  if (kind === null || kinds[kind].container !== true || kind === "form") return false;
  return lead.slice(0, at).some((token) => PLACING.test(word(token)));
};

const PLACING = /^(?:in|on|under|within|inside|at|from|of)$/;

/** `…, type "Lunch" and press Enter: the cell says "Lunch"`: where a colon stands between what is done and what is claimed. */
export const colonAt = (tokens: readonly Token[]): number => {
  const at = tokens.findIndex((token, index) => index > 1 && isMark(token, ":"));
  if (at < 2 || at + 2 >= tokens.length) return 0;
  return /^(?:check|verify|ensure|confirm|see|look)$/.test(word(tokens[0])) ? 0 : at;
};
