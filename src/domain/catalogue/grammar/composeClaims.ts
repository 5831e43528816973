import type { ActionName } from "../vocabulary.ts";
import type { Token } from "../words.ts";
import { composedCount } from "./composeCounts.ts";
import type { Draft } from "./formTables.ts";
import { baseOf } from "./inflections.ts";
import { word } from "./phrases.ts";
import { emptyAt, kindLengthAt } from "./thingWords.ts";
import { isHolder, placeAt, placedThingAt, type Thing, targetOf } from "./things.ts";

type State = "visible" | "enabled" | "checked" | "empty";

const phrases = (lines: readonly string[]): readonly (readonly string[])[] =>
  lines
    .flatMap((line) => line.split("|"))
    .map((said) => said.split(" "))
    .sort((one, other) => other.length - one.length);

/** What stands behind "is", and how things stand then; false is the contrary. */
const STATES: readonly { readonly words: readonly string[]; readonly state: State; readonly is: boolean }[] = (
  [
    ["visible", true, "visible|shown|displayed|present|there|on screen|on the screen|on the page|in view|listed|offered|presented|rendered|back|on show|to be seen|to be found|found|seen|on display|in sight|showing|displaying|still there|up"],
    ["visible", false, "hidden|gone|absent|missing|invisible|removed|out of sight|out of view|nowhere to be seen|nowhere to be found|not there|dismissed"],
    ["enabled", true, "enabled|active|clickable|usable|available to click|pressable|no longer greyed out|operable|ready to be clicked"],
    ["enabled", false, "disabled|inactive|greyed out|grayed out|greyed-out|grayed-out|grey|unclickable|not clickable|non-clickable|dimmed|blocked"],
    ["checked", true, "ticked|checked|preselected|pre-selected|preticked|prechecked|pre-checked|pre-ticked|switched on|turned on|toggled on"],
    ["empty", true, "empty|blank"],
    ["checked", false, "unticked|unchecked|unselected|switched off|turned off|toggled off"],
  ] as const
).flatMap(([state, is, said]) => phrases([said]).map((words) => ({ words, state, is })));

/** Verbs that say all of it by themselves. */
const COMING = phrases([
  "appears|appear|shows up|show up|pops up|pop up|comes up|come up|turns up|turn up|exists|exist|shows|emerges|comes into view|come into view|slides in|pops in|is brought up|can be seen|can be found|is to be seen|comes back|reappears|appeared|popped up|showed up|has appeared|will appear|is coming up|surfaces",
]);
const GOING = phrases([
  "disappears|disappear|vanishes|vanish|goes away|go away|closes|close|fades|fades away|fades out|goes|disappeared|vanished|closed|went away|is gone|gets closed|is closed|drops out|can't be seen|cannot be seen|can't be found|cannot be found|collapses",
]);
/** What is opened is seen then: of a page or a link that nobody can say. */
const OPENING = phrases(["opens|open|opens up|is opened|is open|has opened|gets opened|slides out|unfolds|expands|drops down|launches"]);
const OPENED =
  /^(?:dialog|dialogue|modal|popup|pop-up|dialog box|menu|submenu|context menu|panel|drawer|pane|flyout|window|calendar|date picker|lightbox|overlay|sidebar|dropdown|form|section|tooltip|alert)$/;
const LIGHTING = phrases(["lights up|can be clicked|can be pressed|can be used|can be tapped|lets itself be clicked"]);
const DIMMING = phrases(["can't be clicked|cannot be clicked|can't be pressed|cannot be pressed|can't be used|cannot be used|greys out|cannot be tapped|can't be tapped"]);

type Holding = "text" | "equals" | "contains" | "value" | "shows";
/** Verbs behind which a text stands, and what it is to the thing. */
const HOLDING: readonly { readonly words: readonly string[]; readonly as: Holding }[] = (
  [
    ["equals", "increases to|increase to|decreases to|increased to|decreased to|grows to|shrinks to|falls to|jumps to|equals|equal|is equal to|amounts to|comes to|totals|comes out at|comes out as|turns into|turns to|changes to|changed to|goes to|updates to|becomes|has changed to|is now|goes up to|goes down to|drops to|rises to|adds up to|works out at|be equal to|jumps to|switches to|turned into"],
    ["text", "reads|read|says|say|states|has the text|have the text"],
    ["shows", "shows|show|displays|display|is showing|is displaying|carries|bears"],
    ["contains", "contains|contain|includes|include|mentions|mention|features|has in it|is to contain"],
    ["value", "has the value|have the value|holds|hold|stays at|stay at|remains at|remain at|keeps the value|keeps|keep|is prefilled with|is pre-filled with|is preset to|defaults to|default to|retains|is stuck at|still holds"],
  ] as const
).flatMap(([as, said]) => phrases([said]).map((words) => ({ words, as })));

/** `"Saved" shown, "Error" not shown` */
const TELEGRAPHIC = [
  ...STATES.filter(({ words }) => /^(?:visible|shown|displayed|hidden|gone|absent|enabled|disabled|clickable|inactive|greyed out|grayed out)$/.test(words.join(" "))),
  ...["visible", "shown", "displayed", "present", "there"].map((said) => ({ words: ["not", said], state: "visible" as const, is: false })),
];

const MODAL = /^(?:should|must|will|shall|has|have|needs|need|ought|may|might|can|would)$/;
const BE = /^(?:is|are|be|being|been|was|were|gets|get|got|becomes|become|became|remains|remain|stays|stay|looks|look|turns|goes|seems|seem|appears)$/;
const NOT = /^(?:not|never|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|shouldn't|mustn't|won't|can't|cannot|hasn't|haven't)$/;
const STAYING = /^(?:still|now|then|also|again|just|already|therefore|correctly|immediately|automatically|instantly|both|all|clearly|instead|currently|initially|finally|yet|always|indeed|thus|directly|eventually)$/;

const startsWith = (known: readonly (readonly string[])[], tokens: readonly Token[], at: number): number =>
  known.find((words) => words.every((one, index) => word(tokens[at + index]) === one))?.length ?? 0;

/** What is claimed of a thing, and behind which word it ends. */
type Predicate =
  | { readonly kind: "state"; readonly state: State; readonly is: boolean; readonly to: number }
  | { readonly kind: "holds"; readonly as: Holding | "is"; readonly is: boolean; readonly to: number };

const predicateAt = (tokens: readonly Token[], from: number, isExpected: boolean): Predicate | null => {
  // `expect "A" to appear`
  let at = word(tokens[from]) === "to" && isExpected ? from + 1 : from;
  let isNot = false;
  let isBeing = false;
  let isModal = false;
  for (let rounds = 0; rounds < 8; rounds++) {
    const said = word(tokens[at]);
    const whole = isBeing ? null : verbAt(tokens, at, isNot);
    if (whole) return whole;
    if (said === "no" && /^(?:longer|more)$/.test(word(tokens[at + 1]))) {
      if (isNot) return null;
      isNot = true;
      at += 2;
    } else if (NOT.test(said)) {
      if (isNot || said === "cannot" || said === "can't") return null;
      isNot = true;
      isBeing ||= /^(?:isn't|aren't|wasn't|weren't)$/.test(said);
      at++;
    } else if (BE.test(said) && !isBeing) {
      isBeing = said !== "been";
      at++;
    } else if (MODAL.test(said) && !isBeing && !isModal) {
      isModal = true;
      at += word(tokens[at + 1]) === "to" ? 2 : 1;
    } else if ((said === "supposed" || said === "expected" || said === "meant") && isBeing && word(tokens[at + 1]) === "to") {
      isBeing = false;
      at += 2;
    } else if (STAYING.test(said)) at++;
    else break;
  }
  if (!isBeing) return null;
  const known = STATES.find(({ words }) => words.every((one, index) => word(tokens[at + index]) === one));
  if (known) return { kind: "state", state: known.state, is: known.is !== isNot, to: at + known.words.length };
  const last = word(tokens[at - 1]);
  const isPlain = /^(?:is|are|be|was|now|still)$/.test(last);
  return isPlain && !isNot && tokens[at] ? { kind: "holds", as: "is", is: true, to: at } : null;
};

const isOpening = (tokens: readonly Token[], at: number): boolean => startsWith(OPENING, tokens, at) > 0;

const verbAt = (tokens: readonly Token[], at: number, isNot: boolean): Predicate | null => {
  const kinds: readonly (readonly [readonly (readonly string[])[], State, boolean])[] = [
    [COMING, "visible", true],
    [OPENING, "visible", true],
    [GOING, "visible", false],
    [LIGHTING, "enabled", true],
    [DIMMING, "enabled", false],
  ];
  const held = HOLDING.find(({ words }) => words.every((one, index) => word(tokens[at + index]) === one));
  // `changes from "A" to "B"`: what it was before is not looked at.
  const isFrom = word(tokens[at + 1]) === "from" && tokens[at + 2]?.kind === "quoted" && word(tokens[at + 3]) === "to";
  if (isFrom && /^(?:changes|turns|switches|goes|moves|jumps|change|turn|switch|go)$/.test(word(tokens[at]))) {
    return { kind: "holds", as: "equals", is: !isNot, to: at + 4 };
  }
  const isText = held !== undefined && valueAt(tokens, at + held.words.length) !== null;
  if (held && isText) return { kind: "holds", as: held.as, is: !isNot, to: at + held.words.length };
  let best: Predicate | null = null;
  for (const [known, state, is] of kinds) {
    const length = startsWith(known, tokens, at);
    if (length > 0 && (best === null || at + length > best.to)) best = { kind: "state", state, is: is !== isNot, to: at + length };
  }
  return best;
};

const FIGURE = /^[^\p{L}\s]*\d[\d.,:/%-]*(?:%|[^\p{L}\d\s])?$/u;

const UNIT = /^(?:days?|hours?|minutes?|weeks?|months?|years?|nights?|points?|items?|pcs|kg|km|eur|usd|gbp|chf|pln|zł|€|\$|£|%|₹|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|am|pm|credits?|euros?|dollars?|pounds?)$/;

/** `12 days`, `1 250,00 zł`, `24 Dec 2026`: a figure with what belongs to it, up to the end of the clause. */
const amountAt = (tokens: readonly Token[], from: number): { readonly value: string; readonly to: number; readonly isFigure: boolean } | null => {
  const said = tokens.slice(from);
  if (said.length < 2 || said.length > 4) return null;
  const isAmount = said.every((token) => token.kind === "word" && (FIGURE.test(token.text) || UNIT.test(token.lower)));
  if (!isAmount || !said.some((token) => FIGURE.test(token.text))) return null;
  return { value: said.map(({ text }) => text).join(" "), to: tokens.length, isFigure: true };
};

/** The text that is claimed: quoted, a variable or a figure. */
const valueAt = (tokens: readonly Token[], at: number): { readonly value: string; readonly to: number; readonly isFigure: boolean } | null => {
  let from = at;
  if (/^(?:the|a)$/.test(word(tokens[from])) && /^(?:text|value|words|message|phrase|number|label|amount|date)$/.test(word(tokens[from + 1]))) from += 2;
  const token = tokens[from];
  if (token?.kind === "quoted" || token?.kind === "literal") {
    return kindLengthAt(tokens, from + 1) > 0 ? null : { value: token.text, to: from + 1, isFigure: false };
  }
  if (token?.kind !== "word") return null;
  const whole = amountAt(tokens, from);
  if (whole) return whole;
  const isFigure = FIGURE.test(token.text);
  return isFigure || /^\$\{[\w.]+\}$/.test(token.text) ? { value: token.text, to: from + 1, isFigure } : null;
};

/** Behind what is claimed: words that say nothing, and places of the thing; null when there is more. */
const restOf = (tokens: readonly Token[], from: number, thing: Thing): readonly string[] | null => {
  const places: string[] = [];
  let at = from;
  while (at < tokens.length) {
    const anymore = /^(?:anymore|either|too|altogether|yet)$/.test(word(tokens[at])) ? 1 : /^(?:any (?:more|longer)|at all)$/.test(`${word(tokens[at])} ${word(tokens[at + 1])}`) ? 2 : 0;
    const empty = emptyAt(tokens, at) || anymore;
    if (empty > 0) {
      at += empty;
      continue;
    }
    const place = placeAt(tokens, at, null);
    if (!place || thing.places.length + places.length > 1) return null;
    places.push(place.text);
    at = place.to;
  }
  return places;
};

const ACTIONS: Readonly<Record<State, readonly [ActionName, ActionName]>> = {
  visible: ["assert_visible", "assert_hidden"],
  enabled: ["assert_enabled", "assert_disabled"],
  checked: ["assert_checked", "assert_unchecked"],
  // What is not empty has a value that nobody says.
  empty: ["assert_value", "assert_value"],
};
const VALUED = /^(?:field|input|input field|input box|text field|text box|textbox|textarea|text area|dropdown|select|combobox|slider|picker|date picker|box|search box|search bar|search field)$/;
const ACTED = /^(?:icon|badge|chip|tile|counter|stepper)?$/;

const PRESSED =
  /^(?:button|btn|link|field|input|checkbox|dropdown|radio button|radio|switch|toggle|icon|option|slider|box|menu item)?$/;

const stateOf = (thing: Thing, state: State, is: boolean, places: readonly string[]): Draft | null => {
  // That an alert or a text is "active" or "ticked" nobody can say.
  const isTicked = /^(?:checkbox|check box|box|switch|toggle|toggle switch|radio|radio button|option)?$/.test(thing.kind);
  if (state === "checked" && !isTicked) return null;
  // A message of the browser is nothing on the page.
  if (/^(?:alert|prompt|popup|pop-up)$/.test(thing.kind) && thing.name === null) return null;
  // An active tab is the one that is shown.
  if (state === "enabled" && !PRESSED.test(thing.kind)) return null;
  const target = targetOf(thing, places);
  if (state === "empty") {
    const isField = VALUED.test(thing.kind) || (thing.kind === "" && thing.isQuoted);
    return is && isField && target !== null ? { action: "assert_value", target, value: "" } : null;
  }
  return target === null ? null : { action: ACTIONS[state][is ? 0 : 1], target };
};

const heldBy = (thing: Thing, as: Holding | "is", value: { readonly value: string; readonly isFigure: boolean }, places: readonly string[]): Draft | null => {
  const target = targetOf(thing, places);
  if (target === null) return null;
  const isField = VALUED.test(thing.kind);
  if (as === "value") {
    return isField || (thing.kind === "" && !thing.isLoose) ? { action: "assert_value", target, value: value.value } : null;
  }
  // A part of what a field has is not its value, and a dropdown has options.
  if (as === "contains") return isField ? null : { action: "assert_contains", target, value: value.value };
  if (isField) return { action: "assert_value", target, value: value.value };
  const holds = isHolder(thing.kind) || thing.kind === "row";
  if (as === "shows" || holds) return as === "is" ? null : { action: "assert_contains", target, value: value.value };
  // `"Status" is "Open"`, `"Qty" changes to 2`: the text, or the value of a field? What costs money is a text.
  const isTold = (thing.isLoose && DISPLAYED.test(thing.name ?? "")) || /^(?:heading|cell|badge|label|counter|headline|caption|icon|chip|status chip|link|button|card)$/.test(thing.kind);
  const isText = as === "text" || isTold || (ACTED.test(thing.kind) && value.isFigure && MONEY.test(value.value));
  return isText ? { action: "assert_text", target, value: value.value } : null;
};

/** What is read, and typed nowhere. */
const DISPLAYED =
  /(?:^| )(?:total|subtotal|price|sum|balance|greeting|score|rating|result|count|counter|caption|subtitle|discount|tax|fee|stock|points|average|timer|clock|status|order)$/;
const MONEY = /[€$£₹¥]|zł|EUR|USD|GBP|CHF|days?$|hours?$/;

const CLAIMING = /^(?:verify|check|ensure|confirm|assert|validate|expect|see)$/;

/** How many words only say that a claim follows. */
const leadOf = (tokens: readonly Token[]): number => {
  let at = 0;
  for (let empty = emptyAt(tokens, at); empty > 0; empty = emptyAt(tokens, at)) at += empty;
  if (CLAIMING.test(word(tokens[at]))) at++;
  else if (word(tokens[at]) === "make" && word(tokens[at + 1]) === "sure") at += 2;
  if (at > 0 && /^(?:that|if|whether)$/.test(word(tokens[at]))) at++;
  for (let empty = emptyAt(tokens, at); empty > 0; empty = emptyAt(tokens, at)) at += empty;
  return at;
};

type Subjects = { readonly things: readonly Thing[]; readonly isNone: boolean; readonly to: number };

/** The things of which something is claimed: one, or several that are named one after the other. */
const subjectsAt = (tokens: readonly Token[], from: number): Subjects | null => {
  const first = word(tokens[from]);
  const isNone = first === "neither" || first === "no";
  const isPair = isNone || first === "both" || first === "either";
  let at = isPair ? from + 1 : from;
  const things: Thing[] = [];
  let isJoined = true;
  while (things.length < 8) {
    const thing = placedThingAt(tokens, at, true);
    if (!thing || (first === "no" && thing.isLoose)) return null;
    things.push(thing);
    at = thing.to;
    let joint = at;
    while (/^(?:and|or|nor|,|as|well)$/.test(tokens[joint]?.lower ?? "") && tokens[joint]?.kind !== "quoted") joint++;
    if (joint === at || !placedThingAt(tokens, joint, false)) break;
    // `"A", the "B" button is there`: without "and" the first may be something else.
    const joined = isNone ? /^(?:or|nor|and)$/ : /^and$/;
    isJoined = tokens.slice(at, joint).some((token) => joined.test(token.lower));
    at = joint;
  }
  if (!isJoined) return null;
  // `Terms and Conditions link`: without quotes or articles it may be one.
  const isTold = things.every((thing) => thing.isQuoted || thing.hasArticle);
  if (things.length > 1 && !isTold) return null;
  const isNeither = first === "neither" && things.length > 1;
  if ((isNone && first === "neither" && !isNeither) || (first === "no" && things.length > 1) || first === "either") return null;
  return { things, isNone, to: at };
};

const ATTRIBUTES: Readonly<Record<string, string>> = {
  placeholder: "placeholder",
  "placeholder text": "placeholder",
  href: "href",
  alt: "alt",
  "alt text": "alt",
  "alternative text": "alt",
  target: "target",
  src: "src",
  maxlength: "maxlength",
  "max length": "maxlength",
  "aria-label": "aria-label",
  type: "type",
};

/** The attribute that is named at a place: how it is called, and where it ends. */
const attributeAt = (tokens: readonly Token[], from: number): { readonly name: string; readonly to: number } | null => {
  const at = /^(?:the|a|an|its)$/.test(word(tokens[from])) ? from + 1 : from;
  for (const length of [2, 1]) {
    const said = tokens.slice(at, at + length).map(word).join(" ");
    const name = ATTRIBUTES[said];
    if (name === undefined) continue;
    const to = at + length;
    return { name, to: word(tokens[to]) === "attribute" ? to + 1 : to };
  }
  return null;
};

/** `the "Docs" link has href https://docs.test`, `the alt text of the image "Map" is "Plan"`. */
const attributeOf = (tokens: readonly Token[], from: number): Draft | null => {
  const before = attributeAt(tokens, from);
  const isOf = before !== null && /^(?:of|on|for|in)$/.test(word(tokens[before.to]));
  const thing = placedThingAt(tokens, isOf ? before.to + 1 : from);
  if (!thing || thing.name === null) return null;
  let at = thing.to;
  while (/^(?:should|must|has|to|now|still|also)$/.test(word(tokens[at])) && !/^(?:has)$/.test(word(tokens[at]))) at++;
  const verb = word(tokens[at]);
  const behind = isOf ? null : /^(?:has|have|carries|shows)$/.test(verb) ? attributeAt(tokens, at + 1) : null;
  const name = isOf ? before.name : behind?.name;
  if (name === undefined || (isOf && !/^(?:is|be|reads|equals|says|shows)$/.test(verb))) return null;
  let next = isOf ? at + 1 : (behind?.to ?? at);
  while (/^(?:of|as|=|is|set|to)$/.test(tokens[next]?.lower ?? "") && tokens[next]?.kind !== "quoted") next++;
  const value = tokens[next];
  if (!value || next + 1 !== tokens.length || value.kind === "mark") return null;
  const isPlain = value.kind !== "word" || /^(?:https?:\/\/\S+|\/\S*|_\w+|\d+|\$\{\w+\})$/.test(value.text);
  const target = targetOf(thing);
  return target !== null && isPlain ? { action: "assert_attribute", target, value: `${name}=${value.text}` } : null;
};

/** `Under no circumstances may the text "A" be visible`: how many words deny what follows. */
const neverAt = (tokens: readonly Token[]): number => {
  const said = tokens.slice(0, 4).map(word).join(" ");
  const found = /^(?:under no circumstances|at no (?:time|point)|on no account|in no case|never) (?:should|may|must|shall|can)\b/.exec(said);
  return found ? found[0].split(" ").length : 0;
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
  const place = /^(?:in|inside|within|on|under|from|among)$/.test(word(all[lead])) ? placeAt(all, lead, null) : null;
  let start = place?.to ?? lead;
  if (place && all[start]?.kind === "mark" && /^[,:]$/.test(all[start]?.text ?? "")) start++;
  // `Select "A" there` begins with what is done.
  if (place === null && lead === 0 && baseOf(word(all[start])) !== null) return null;
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
  const telegraphic = TELEGRAPHIC.find(({ words }) => words.every((one, index) => word(all[to + index]) === one));
  const isBare = telegraphic !== undefined && to + telegraphic.words.length === all.length;
  const predicate: Predicate | null = isBare
    ? { kind: "state", state: telegraphic.state, is: telegraphic.is, to: all.length }
    : predicateAt(all, to, lead > 0);
  if (!predicate || (isColon && !isBare) || (isNone && !predicate.is)) return null;
  const last = things.at(-1);
  if (!last) return null;
  const isOpened = predicate.kind === "state" && tokensSay(all, to, predicate.to);
  if (isOpened && things.some(({ kind }) => !OPENED.test(kind))) return null;
  const value = predicate.kind === "holds" ? valueAt(all, predicate.to) : null;
  if (predicate.kind === "holds" && (!value || !predicate.is || isNone || things.length > 1)) return null;
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
    const one = predicate.kind === "state" ? stateOf(thing, predicate.state, is, where) : value && heldBy(thing, predicate.as, value, where);
    if (!one) return null;
    drafts.push(one);
  }
  return drafts.length > 0 ? drafts : null;
};

