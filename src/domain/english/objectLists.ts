import { findKind } from "../catalogue/kinds.ts";
import type { StepInput } from "../catalogue/step.ts";
import { baseOf } from "./inflections.ts";
import { readNumber } from "./numberSlots.ts";
import { isQuoted, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&)$/.test(word(token));

const SHARED = /^(?:upload|attach|select|choose|pick|tick|check|untick|uncheck|click|add)$/;
const JOINED = /^(?:to|in|into|from|on|for|using|via|with|within|as)$/;

/** The quoted names of a list, and where it ends; null when there is but one. */
const namesFrom = (
  tokens: readonly Token[],
  from: number,
): { readonly names: readonly Token[]; readonly end: number } | null => {
  const names: Token[] = [];
  let at = from;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind === "quoted" && (names.length === 0 || isJoint(tokens[at - 1])))
      names.push(token);
    else if (!isJoint(token)) break;
  }
  // A joint at its end belongs to what follows.
  while (isJoint(tokens[at - 1])) at--;
  return names.length > 1 ? { names, end: at } : null;
};

const said = (token: Token, source: string): string => source.slice(token.start, token.end);

const NEXT = /^(?:then|but|or|[-–—:;]|->|=>|→)$/;

const plain = (token: Token): string => (isQuoted(token) ? "" : token.lower);

/** `Attach "a.txt" and "b.txt" to the "Files" field`, `Untick all three: "A", "B", "C"` → the same with each; null for others. */
export const eachObject = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const verb = baseOf(word(tokens[0]));
  if (verb === null || !SHARED.test(verb)) return null;
  let from = 1;
  while (/^(?:both|all|each|of|the|following|these|two|three|four|five)$/.test(word(tokens[from])))
    from++;
  const kind = findKind(word(tokens[from]));
  if (kind !== null && word(tokens[from]).endsWith("s")) from++;
  if (isMark(tokens[from], ":")) from++;
  const list = namesFrom(tokens, from);
  if (!list) return null;
  const next = tokens[list.end];
  const rest = next ? source.slice(next.start, tokens.at(-1)?.end) : "";
  if (next && !JOINED.test(word(next))) return null;
  // What is done next is done once.
  if (tokens.slice(list.end).some((token) => isJoint(token) || NEXT.test(plain(token))))
    return null;
  const lead = source.slice(tokens[0]?.start, tokens[0]?.end);
  const noun =
    kind !== null && from > 1 ? word(tokens[from - (isMark(tokens[from - 1], ":") ? 2 : 1)]) : "";
  const one = noun.endsWith("s") ? ` ${noun.replace(/(?:(?<=x|sh|ch|s)e)?s$/, "")}` : "";
  return list.names.map((name) => `${lead} ${said(name, source)}${one} ${rest}`.trim());
};

const CLAIMING = new Set(["verify", "check", "ensure", "confirm", "assert"]);
const THAT = /^(?:that|if|whether)$/;
const SINGULAR: Readonly<Record<string, string>> = {
  ...{ are: "is", appear: "appears", exist: "exists", should: "should", must: "must" },
};
const CHOSEN = /^(?:selected|chosen|picked)$/;
const THERE = /^(?:in|inside|within|under|on)$/;

/** `Verify that "A" and "B" are shown in the "L" section` → each of them, there; null where no place is said. */
export const eachThere = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const claim = Number(CLAIMING.has(word(tokens[0])));
  const from = claim + Number(claim === 1 && THAT.test(word(tokens[1])));
  const list = namesFrom(tokens, from);
  const verb = SINGULAR[word(tokens[list?.end ?? -1])];
  if (!list || tokens[from]?.kind !== "quoted" || verb === undefined) return null;
  const rest = tokens.slice(list.end + 1);
  const isThere = rest.some((token) => THERE.test(word(token)));
  // Of what is chosen there is but one: two claims would gainsay each other.
  if (rest.slice(0, 2).some((token) => CHOSEN.test(word(token)))) return null;
  if (!isThere || rest.some((token) => isJoint(token) || NEXT.test(plain(token)))) return null;
  const lead = from === 0 ? "" : `${source.slice(tokens[0]?.start, tokens[from - 1]?.end)} `;
  const claimed = source.slice(rest[0]?.start, rest.at(-1)?.end);
  return list.names.map((name) => `${lead}${said(name, source)} ${verb} ${claimed}`);
};

/** `Verify "A" and "B" are disabled`, read as one thing of the first and another of the rest: what is claimed at the end is claimed of all. */
export const isClaimSplit = (
  tokens: readonly Token[],
  steps: readonly Pick<StepInput, "action">[],
): boolean => {
  if (!CLAIMING.has(word(tokens[0])) || tokens[1]?.kind !== "quoted") return false;
  if (SINGULAR[word(tokens[namesFrom(tokens, 1)?.end ?? -1])] === undefined) return false;
  return steps.some(({ action }) => action !== steps[0]?.action);
};

const LEADS = new Set("that all each both of the following these two three four five".split(" "));
const STATED = /^(?:must|should|is|are|exists?|appears?)$/;

/** `The following buttons must be disabled: "A", "B"`, `These links are visible: Home, Imprint` → each of them; null for others. */
export const eachClaimed = (tokens: readonly Token[], source: string): readonly string[] | null => {
  let at = CLAIMING.has(word(tokens[0])) ? 1 : 0;
  while (LEADS.has(word(tokens[at]))) at++;
  if (at === 0) return null;
  const plural = word(tokens[at]);
  const kind = plural.endsWith("s") ? findKind(plural) : null;
  if (kind === null || !STATED.test(word(tokens[at + 1]))) return null;
  // Before a text in quotes the colon is left out.
  const first = tokens.findIndex((token, index) => index > at + 1 && token.kind === "quoted");
  const mark = tokens.findIndex((token) => isMark(token, ":"));
  const colon = mark < 0 ? first - 1 : mark;
  const end = mark < 0 ? first : mark;
  if (colon < at + 2) return null;
  const state = source
    .slice(tokens[at + 1]?.start, tokens[end - 1]?.end)
    .replace(/^are\b/, "is")
    .replace(/^(exist|appear)$/, "$1s");
  const one = plural.replace(/(?:(?<=x|sh|ch|s)e)?s$/, "");
  const names: string[] = [];
  let from = colon + 1;
  for (let to = from; to <= tokens.length; to++) {
    if (to < tokens.length && !isJoint(tokens[to])) continue;
    const part = tokens.slice(from, to);
    from = to + 1;
    if (part.length === 0) continue;
    const text = source.slice(part[0]?.start, part.at(-1)?.end);
    const isName = part.length === 1 && part[0]?.kind === "quoted";
    if (!isName && !part.every((token) => /^\p{Lu}[\p{L}\d-]*$/u.test(token.text))) return null;
    names.push(isName ? text : `"${text}"`);
  }
  return names.length > 1 ? names.map((name) => `the ${name} ${one} ${state}`) : null;
};

const MAX_COUNTED = 10;
const NTH = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/** `Tick the first three checkboxes` → the first, the second, the third; null for others. */
export const firstFew = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const at = tokens.findIndex((token) => word(token) === "first");
  if (at < 1 || word(tokens[at - 1]) !== "the") return null;
  const number = readNumber(word(tokens[at + 1]));
  if (number === null) return null;
  if (tokens.slice(0, at).some((token) => isJoint(token) || isMark(token, ";"))) return null;
  if (number < 2 || number > MAX_COUNTED || baseOf(word(tokens[0])) === null) return null;
  const kind = tokens.findIndex((token, index) => index > at + 1 && findKind(word(token)) !== null);
  const plural = word(tokens[kind]);
  if (kind < 0 || kind > at + 3 || !plural.endsWith("s")) return null;
  const one = plural.replace(/(?:(?<=x|sh|ch)e)?s$/, "").replace(/boxe$/, "box");
  const name = kind === at + 3 ? tokens[at + 2] : undefined;
  if (findKind(one) === null || (name && !isQuoted(name))) return null;
  if (tokens.slice(kind).some((token) => isJoint(token) || /^(?:then|but|or)$/.test(word(token))))
    return null;
  const lead = source.slice(tokens[0]?.start, tokens[at - 1]?.end);
  const next = tokens[kind + 1];
  const rest = next ? ` ${source.slice(next.start, tokens.at(-1)?.end)}` : "";
  const called = name ? `${said(name, source)} ` : "";
  return NTH.slice(0, number).map((nth) => `${lead} ${nth} ${called}${one}${rest}`);
};
