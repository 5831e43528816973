import { findKind } from "../catalogue/kinds.ts";
import { attributeOf } from "./composeAttributes.ts";
import { composedCount } from "./composeCounts.ts";
import { isOpening, type Predicate, predicateAt, telegraphicAt } from "./composeSaid.ts";
import { heldBy, stateOf } from "./composeStates.ts";
import { claimedTextAt } from "./composeTexts.ts";
import type { Draft } from "./formTables.ts";
import { baseOf } from "./inflections.ts";
import { SUBJECTS, word } from "./phrases.ts";
import { placeAt, placedThingAt, targetOf } from "./places.ts";
import type { Thing } from "./things.ts";
import { emptyAt } from "./thingWords.ts";
import { quote, type Token } from "./words.ts";

const OPENED =
  /^(?:dialog|dialogue|modal|popup|pop-up|dialog box|menu|submenu|context menu|panel|drawer|pane|flyout|window|calendar|date picker|lightbox|overlay|sidebar|dropdown|form|section|tooltip|alert)$/;
/** Behind what is claimed: words that say nothing, and places of the thing; null when there is more. */
const restOf = (tokens: readonly Token[], from: number, thing: Thing): readonly string[] | null => {
  const places: string[] = [];
  let at = from;
  while (at < tokens.length) {
    const anymore = /^(?:anymore|either|too|altogether|yet)$/.test(word(tokens[at]))
      ? 1
      : /^(?:any (?:more|longer)|at all)$/.test(`${word(tokens[at])} ${word(tokens[at + 1])}`)
        ? 2
        : 0;
    const empty = emptyAt(tokens, at) || anymore;
    if (empty > 0) {
      at += empty;
      continue;
    }
    const place = placeAt(tokens, at, null) ?? nameAt(tokens, at);
    if (!place || thing.places.length + places.length > 1) return null;
    places.push(place.text);
    at = place.to;
  }
  return places;
};

/** `… is visible in "Billing"`, at the end: where it stands is but called. */
const nameAt = (
  tokens: readonly Token[],
  at: number,
): { readonly text: string; readonly to: number } | null => {
  const name = tokens[at + 1];
  const isLast = tokens.length === at + 2 && name?.kind === "quoted" && name.text.trim() !== "";
  return isLast && /^(?:in|within|inside)$/.test(word(tokens[at]))
    ? { text: `in ${quote(name.text)}`, to: tokens.length }
    : null;
};

const CLAIMING = new Set("verify check ensure confirm assert validate expect see".split(" "));
const PLACING = new Set("in inside within on under from among next beside near".split(" "));

/** How many words only say that a claim follows. */
const leadOf = (tokens: readonly Token[]): number => {
  let at = 0;
  for (let empty = emptyAt(tokens, at); empty > 0; empty = emptyAt(tokens, at)) at += empty;
  // `I should see the "Save" button is disabled`
  const person = SUBJECTS.has(word(tokens[at]))
    ? 1
    : word(tokens[at]) === "the" && word(tokens[at + 1]) === "user"
      ? 2
      : 0;
  let seen = at + person;
  while (person > 0 && /^(?:should|can|must|will|then|now|also)$/.test(word(tokens[seen]))) seen++;
  if (person > 0 && /^(?:see|sees|notice|notices|observe|observes)$/.test(word(tokens[seen])))
    at = seen + 1;
  else if (CLAIMING.has(word(tokens[at]))) at++;
  else if (word(tokens[at]) === "make" && word(tokens[at + 1]) === "sure") at += 2;
  if (at > 0 && /^(?:that|if|whether)$/.test(word(tokens[at]))) at++;
  for (let empty = emptyAt(tokens, at); empty > 0; empty = emptyAt(tokens, at)) at += empty;
  return at;
};

/** `(of) the checkboxes "A" and "B"`: what all of them are, and where their names begin; null when it is not said. */
const pluralAt = (
  tokens: readonly Token[],
  from: number,
): { readonly kind: string; readonly to: number } | null => {
  let at = word(tokens[from]) === "of" ? from + 1 : from;
  if (/^(?:the|these)$/.test(word(tokens[at]))) at++;
  for (const length of [2, 1]) {
    if (tokens[at + length]?.kind !== "quoted") continue;
    const said = tokens
      .slice(at, at + length)
      .map(word)
      .join(" ");
    const kind = /(?:xes|ches|shes)$/.test(said) ? said.slice(0, -2) : said.slice(0, -1);
    const isPlural = said.endsWith("s") && findKind(kind) !== null;
    if (isPlural) return { kind, to: at + length };
  }
  return null;
};

type Subjects = {
  readonly things: readonly Thing[];
  readonly isNone: boolean;
  readonly to: number;
};

/** The things of which something is claimed: one, or several that are named one after the other. */
const subjectsAt = (tokens: readonly Token[], from: number): Subjects | null => {
  const first = word(tokens[from]);
  const isNone = first === "neither" || first === "none" || first === "no";
  const isPair = isNone || first === "both" || first === "either";
  const all = first === "no" ? null : pluralAt(tokens, isPair ? from + 1 : from);
  let at = all?.to ?? (isPair ? from + 1 : from);
  const things: Thing[] = [];
  let isJoined = true;
  while (things.length < 8) {
    const found = placedThingAt(tokens, at, true);
    const thing = found && all && found.kind === "" ? { ...found, kind: all.kind } : found;
    if (!thing || (first === "no" && thing.isLoose)) return null;
    if (all && (thing.kind !== all.kind || !thing.isQuoted)) return null;
    things.push(thing);
    at = thing.to;
    let joint = at;
    while (
      /^(?:and|or|nor|,|as|well)$/.test(tokens[joint]?.lower ?? "") &&
      tokens[joint]?.kind !== "quoted"
    )
      joint++;
    if (joint === at || !placedThingAt(tokens, joint, false)) break;
    // `"A", the "B" button is there`: without "and" the first may be something else.
    const joined = isNone ? /^(?:or|nor|and)$/ : /^and$/;
    isJoined = tokens.slice(at, joint).some((token) => joined.test(token.lower));
    at = joint;
  }
  if (!isJoined) return null;
  // `Terms and Conditions link`: without quotes it may be one.
  const isTold = things.every((thing) => thing.isQuoted || (isNone && thing.hasArticle));
  if (things.length > 1 && !isTold) return null;
  const isNeither = first === "neither" && things.length > 1;
  if (
    (isNone && first === "neither" && !isNeither) ||
    (first === "no" && things.length > 1) ||
    first === "either"
  )
    return null;
  return { things, isNone, to: at };
};

/** What such words begin with. */
const DENYING = new Set(["under", "at", "on", "in", "never"]);

/** `Under no circumstances may the text "A" be visible`: how many words deny what follows. */
const neverAt = (tokens: readonly Token[]): number => {
  if (!DENYING.has(word(tokens[0]))) return 0;
  const said = tokens.slice(0, 4).map(word).join(" ");
  const found =
    /^(?:under no circumstances|at no (?:time|point)|on no account|in no case|never) (?:should|may|must|shall|can)\b/.exec(
      said,
    );
  return found ? found[0].split(" ").length : 0;
};

/** `Next to "Email" appears the message "Invalid"`, `… there is a "New" badge`: what is there, behind its place. */
const comingThere = (tokens: readonly Token[], from: number, place: string): Draft | null => {
  const isThere = word(tokens[from]) === "there" && /^(?:is|appears)$/.test(word(tokens[from + 1]));
  const at = isThere ? from + 2 : from + 1;
  if (!isThere && !/^(?:appears|stands)$/.test(word(tokens[from]))) return null;
  const thing = placedThingAt(tokens, at);
  const isOver = thing?.to === tokens.length && thing.name !== null && thing.places.length === 0;
  const target = thing && isOver ? targetOf(thing, [place]) : null;
  return target === null ? null : { action: "assert_visible", target };
};

/** `there is no "Archive" option visible`, `there should be no "A" link shown in the "B" row`: what is not there. */
const noneThere = (tokens: readonly Token[], from: number): Draft | null => {
  if (word(tokens[from]) !== "there") return null;
  let at = from + 1;
  while (/^(?:should|must|is|are|be|now|now)$/.test(word(tokens[at]))) at++;
  if (at === from + 1 || !/^(?:no|not)$/.test(word(tokens[at]))) return null;
  at += 1;
  if (word(tokens[at - 1]) === "not" && /^(?:any|an?)$/.test(word(tokens[at]))) at++;
  const thing = placedThingAt(tokens, at);
  if (!thing?.isQuoted) return null;
  const isShown = /^(?:visible|shown|displayed|available|present|left|listed)$/.test(
    word(tokens[thing.to]),
  );
  const places = restOf(tokens, isShown ? thing.to + 1 : thing.to, thing);
  const target = places && targetOf(thing, places);
  return target ? { action: "assert_hidden", target } : null;
};

/** Whether what is claimed is said by a verb that opens something. */
const tokensSay = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(from, to).some((_, index) => isOpening(tokens, from + index));

/**
 * What a clause claims, put together from the things that it names and what it says of them; null when any word is
 * left over, or more than one claim could be meant.
 */
export const composedClaims = (said: readonly Token[]): readonly Draft[] | null => {
  const never = neverAt(said);
  const all = never > 0 ? said.slice(never) : said;
  const lead = leadOf(all);
  const place = PLACING.has(word(all[lead])) ? placeAt(all, lead, null) : null;
  let start = place?.to ?? lead;
  if (place && all[start]?.kind === "mark" && /^[,:]$/.test(all[start]?.text ?? "")) start++;
  // `Select "A" there` begins with what is done.
  if (place === null && lead === 0 && baseOf(word(all[start])) !== null) return null;
  const come = place ? comingThere(all, start, place.text) : null;
  if (come) return [come];
  const none = place === null ? noneThere(all, start) : null;
  if (none) return [none];
  const count = place === null ? composedCount(all, start) : null;
  if (count) return [count];
  const attribute = place === null ? attributeOf(all, start) : null;
  if (attribute) return [attribute];
  const subjects = subjectsAt(all, start);
  if (!subjects) return null;
  const { things, isNone } = subjects;
  // `The "Book" button: disabled`
  const isColon = all[subjects.to]?.kind === "mark" && all[subjects.to]?.text === ":";
  const to = isColon ? subjects.to + 1 : subjects.to;
  const telegraphic = telegraphicAt(all, to);
  const isBare = telegraphic !== undefined && to + telegraphic.words.length === all.length;
  const predicate: Predicate | null = isBare
    ? { kind: "state", state: telegraphic.state, is: telegraphic.is, to: all.length }
    : predicateAt(all, to, lead > 0);
  if (!predicate || (isColon && !isBare) || (isNone && !predicate.is)) return null;
  const last = things.at(-1);
  if (!last) return null;
  const isOpened = predicate.kind === "state" && tokensSay(all, to, predicate.to);
  if (isOpened && things.some(({ kind }) => !OPENED.test(kind))) return null;
  const value = predicate.kind === "holds" ? claimedTextAt(all, predicate.to) : null;
  if (predicate.kind === "holds" && (!value || !predicate.is || isNone || things.length > 1))
    return null;
  const places = restOf(all, value?.to ?? predicate.to, last);
  if (!places || (places.length > 0 && things.length > 1)) return null;
  const where = place ? [...places, place.text] : places;
  const drafts: Draft[] = [];
  for (const thing of things) {
    if (predicate.kind === "state" && thing.isLoose) return null;
    // `In the "A" card the time is …`: a word for something in it, or a thing that is called so?
    if (place && thing.isLoose) return null;
    if (never > 0 && (predicate.kind !== "state" || !predicate.is || isNone)) return null;
    const is = predicate.kind === "state" && predicate.is && !isNone && never === 0;
    const one =
      predicate.kind === "state"
        ? stateOf(thing, predicate.state, is, where)
        : value && heldBy(thing, predicate.as, value, where);
    if (!one) return null;
    drafts.push(one);
  }
  return drafts.length > 0 ? drafts : null;
};
