import { findKind } from "../catalogue/kinds.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { chordIn } from "./sayingMeans.ts";
import {
  closedAt,
  isBroughtAbout,
  isJoint,
  isMark,
  NEGATING,
  quotedIn,
  type Saying,
  withName,
  written,
} from "./sayingParts.ts";
import { thingAt } from "./things.ts";
import { kindLengthAt } from "./thingWords.ts";
import { type Token, tokenize } from "./words.ts";

const DEED =
  /^(?:click|tap|press|hit|tick|untick|check|uncheck|toggle|select|choose|pick|type|enter|turn|switch|double-click|right-click|hover)$/;
const CLICKED = /^(?:button|link|icon|tab|menu|menuitem|image|switch|option)$/;
/** What is chosen in a menu, and is no kind of the product. */
const ENTRY = /^(?:entry|item|command|point)$/;
const MAX_INSIDE = 12;
const MAX_BRACKETS = 3;

/** `button "Approve" in the row "Chen"`, `entry "Sign out"`: what is clicked; null for anything else. */
const clickedIn = (said: string): string | null => {
  const { tokens, problem } = tokenize(said);
  const [first, second] = tokens;
  if (problem) return null;
  if (tokens.length === 2 && ENTRY.test(word(first)) && second?.kind === "quoted")
    return `click ${written([second], said)}`;
  const thing = placedThingAt(tokens, 0);
  const isOne = thing?.to === tokens.length && thing.name !== null;
  return isOne && CLICKED.test(findKind(thing.kind) ?? "")
    ? `click ${/^(?:the|a|an) /.test(said) ? "" : "the "}${said}`
    : null;
};

/** What is done, as it stands in brackets: a deed, keys, or what is clicked one after the other; null for anything else. */
const deedsIn = (
  inside: readonly Token[],
  source: string,
  name: Token | undefined,
): readonly string[] | null => {
  if (inside.some((token) => NEGATING.test(word(token)) || /^(?:or|both)$/.test(word(token))))
    return null;
  const chord = chordIn(inside, source);
  if (chord !== null) return name === undefined ? [`press the ${chord} key`] : null;
  const isIts = inside.some((token) => word(token) === "it");
  // `Delete "A" (button "Delete")`: which of them?
  if (name !== undefined && !isIts) return null;
  const said = withName(inside, source, name);
  if (said === null) return null;
  const first = word(inside[0]);
  if (DEED.test(first)) return inside.length > 1 ? [said] : null;
  if (isIts) {
    const one = clickedIn(said);
    return one === null ? null : [one];
  }
  const deeds: string[] = [];
  let from = 0;
  for (let at = 0; at <= inside.length; at++) {
    if (at < inside.length && !isJoint(inside[at])) continue;
    const one = at > from ? clickedIn(written(inside.slice(from, at), source)) : null;
    if (one === null && at > from) return null;
    if (one !== null) deeds.push(one);
    from = at + 1;
  }
  return deeds;
};

/** `Bring up the menu`, `Approve the timesheet of Chen`: what is brought about by what stands in brackets. */
const isVague = (clause: readonly Token[]): boolean =>
  isBroughtAbout(clause) ||
  (/^(?:brings?|pulls?|calls?)$/.test(word(clause[0])) &&
    word(clause[1]) === "up" &&
    !clause.some((token) => isJoint(token) || NEGATING.test(word(token))));

const WHEN = /^(?:when|after|once|upon|with)$/;
const LATER = /^(?:after|upon|on|by)$/;

/** `all items are deselected`: what has been done, and is no claim where a bracket says how. */
const isStateDone = (clause: readonly Token[]): boolean => {
  const done = word(clause.at(-1));
  return (
    quotedIn(clause).length === 0 &&
    /^(?:is|are|been|gets|get)$/.test(word(clause.at(-2))) &&
    /^(?:selected|deselected|unselected|opened|closed|submitted|deleted|removed|added|saved|sent|published|confirmed|cleared|expanded|collapsed|accepted|rejected)$/.test(
      done,
    )
  );
};

/** `"Detailed" view`: a name with what it is, as one. */
const wholeOf = (clause: readonly Token[], name: Token | undefined): Token | undefined => {
  const at = name ? clause.indexOf(name) : -1;
  const start = kindLengthAt(clause, at - 1) === 1 ? at - 1 : at;
  const thing = at < 0 ? null : thingAt(clause, start);
  const end = clause[(thing?.to ?? 0) - 1];
  const from = clause[start];
  return name && from && end && thing?.isQuoted
    ? { ...name, start: from.start, end: end.end }
    : name;
};

const trimmed = (tokens: readonly Token[]): readonly Token[] => {
  let from = 0;
  let to = tokens.length;
  while (from < to && isJoint(tokens[from])) from++;
  while (to > from && isJoint(tokens[to - 1])) to--;
  return tokens.slice(from, to);
};

/**
 * `Delete "A" (trash icon next to it) and accept the alert`, `When all are deselected (uncheck "All"), …`, `"Draft" is gone
 * after publishing (click "Publish")`: in brackets stands how it is done.
 */
export const howInBrackets: Saying = (tokens, open, source) => {
  const close = closedAt(tokens, open);
  const inside = tokens.slice(open + 1, close);
  if (close < 0 || inside.length === 0 || inside.length > MAX_INSIDE || open === 0) return null;
  // Of several brackets the others are asked in their turn.
  if (tokens.findIndex((token) => isMark(token, "(")) !== open) return null;
  if (tokens.filter((token) => isMark(token, "(")).length > MAX_BRACKETS) return null;
  let from = open;
  while (from > 0 && !isJoint(tokens[from - 1]) && !isMark(tokens[from - 1], ")")) from--;
  const clause = tokens.slice(from, open);
  const names = quotedIn(clause);
  const name = wholeOf(clause, names[0]);
  const before = trimmed(tokens.slice(0, from));
  const after = trimmed(tokens.slice(close + 1));
  const lead = before.length > 0 ? [written(before, source)] : [];
  const rest = after.length > 0 ? [written(after, source)] : [];
  // `Order 2 mugs (button "Order")`: how many is said nowhere else.
  const isMany =
    clause.some(({ kind, text }) => kind === "word" && /\d/.test(text)) &&
    !inside.some((token) => /^(?:twice|times)$/.test(word(token)));
  if (names.length < 2 && !isMany && isVague(clause)) {
    const deeds = deedsIn(inside, source, name);
    return deeds && { said: [...lead, ...deeds, ...rest], unless: written(clause, source) };
  }
  const isOver = isMark(tokens[close + 1], ",") && rest.length > 0;
  const isWhen = WHEN.test(word(clause[0])) && names.length < 2 && clause.length < 9;
  if (
    lead.length === 0 &&
    isOver &&
    (isWhen || isStateDone(clause)) &&
    DEED.test(word(inside[0]))
  ) {
    const deeds = deedsIn(inside, source, name);
    return deeds && [...deeds, ...rest];
  }
  const later = clause.findLastIndex((token) => LATER.test(word(token)));
  const tail = clause.slice(later + 1);
  const isLater =
    later > 1 &&
    tail.length < 5 &&
    quotedIn(tail).length === 0 &&
    (GERUNDS.has(word(tail[0])) || /ing$/.test(word(tail[0])));
  if (!isLater || rest.length > 0 || baseOf(word(inside[0])) === null) return null;
  const deeds = deedsIn(inside, source, undefined);
  return deeds && [...lead, ...deeds, written(clause.slice(0, later), source)];
};
