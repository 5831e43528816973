import { kinds } from "../catalogue/kinds.ts";
import type { StepInput } from "../catalogue/step.ts";
import { parseTarget, readTarget } from "../catalogue/target.ts";
import { baseOf } from "./inflections.ts";
import { isQuoted, SUBJECTS, word } from "./phrases.ts";
import { isHolder } from "./places.ts";
import { SPOT as SPOT_LOST } from "./remarks.ts";
import { thingAt } from "./things.ts";
import { isCapital } from "./thingWords.ts";
import { quote, type Token } from "./words.ts";

/** Where all that a sentence says is done, which stands before it. */
export type Placed = {
  /** What is done first, to get there; null when one is there. */
  readonly before: string | null;
  /** The place, in the words of a target; null for the page as a whole. */
  readonly place: string | null;
  /** How many tokens say so. */
  readonly length: number;
  /** What a person is told of a place that is not looked at; null when nothing is lost. */
  readonly message: string | null;
};

const IN = new Set([
  "in",
  "within",
  "inside",
  "under",
  "on",
  "from",
  "for",
  "at",
  "below",
  "beneath",
]);
const PAGE = /^(?:page|screen|view|step|website|site|app|application)$/;
const AT_PAGE = /^(?:in|on|at|from|within)$/;
const OTHER_PART = /^(?:of|top|bottom|left|right|middle|end|other|next|previous)$/;
const SPOT =
  /^(?:at|in|on) the (?:very )?(?:top|bottom|upper|lower|left|right|center|centre|middle)(?:[- ](?:left|right|hand))?(?:[- ](?:corner|side|edge|part|half|hand side))?(?: of (?:the|this) (?:page|screen|window|form|app|site|website|dialog|view))?$/;
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const STARTS =
  /^(?:there|verify|check|ensure|make|expect|confirm|assert|validate|please|you|also|first|then|now|the)$/;
const FILLS =
  /^(?:types?|enters?|inputs?|writes?|fills?|puts?|sets?|chooses?|selects?|picks?|tick|check|press|upload|attach)$/;
const CHOOSES = /^(?:chooses?|selects?|picks?)$/;
const MAX_PLACE = 14;

/** `In the "Billing" section: …`, `On the login page, …`, `On /cart click …`; null when no place stands first. */
export const placedFirst = (
  tokens: readonly Token[],
  source: string,
  isFirst: boolean,
): Placed | null => {
  if (!IN.has(word(tokens[0])) && nearLength(tokens) === 0) return null;
  const end = Math.min(tokens.length - 1, MAX_PLACE);
  for (let at = 2; at < end; at++) {
    const token = tokens[at];
    const isMark = token?.kind === "mark" && /^[,:]$/.test(token.text);
    // `In "Email", enter "a@b.c"` names a field.
    const isFilled = at < 4 && FILLS.test(word(tokens[isMark ? at + 1 : at]));
    if (isFilled && tokens[at - 1]?.kind === "quoted" && !isInside(tokens)) return null;
    const isScreen =
      token?.kind === "quoted" && at > 2 && /^(?:page|screen)$/.test(word(tokens[at - 1]));
    if (!isMark && !isScreen && !goesOn(token, tokens[at - 1])) continue;
    const found = placeOf(tokens.slice(0, at), source, isFirst);
    // Out of a list one selects: what is chosen there is nothing that is clicked.
    const verb = isMark ? at + 1 : at;
    const what = word(tokens[verb + 1]) === "the" ? tokens[verb + 2] : tokens[verb + 1];
    const isOption = what?.kind === "quoted" || isCapital(what);
    if (
      isOption &&
      CHOOSES.test(word(tokens[verb])) &&
      /\b(?:list|options)$/.test(found?.place ?? "")
    )
      return null;
    if (found) return { ...found, length: isMark ? at + 1 : at };
    if (isMark) return null;
  }
  return null;
};

/** How many words say that what follows stands next to what is named; 0 when none do. */
const nearLength = (tokens: readonly Token[]): number => {
  const [one, two] = [word(tokens[0]), word(tokens[1])];
  if (one === "beside" || one === "alongside") return 1;
  return (one === "next" || one === "adjacent") && two === "to" ? 2 : 0;
};

/** `In modal "Invite" fill …`: what holds others is no field. */
const isInside = (tokens: readonly Token[]): boolean => {
  const thing = thingAt(tokens, 1);
  return thing !== null && isHolder(thing.kind);
};

/** `under "Billing" there's a link …` */
const isThere = (token: Token | undefined, before: Token | undefined): boolean =>
  before?.kind === "quoted" && /^there(?:['’]s)?$/.test(word(token));

/** Whether what is done, or who does it, begins with a token. */
const goesOn = (token: Token | undefined, before: Token | undefined): boolean => {
  if (isThere(token, before)) return true;
  if (token?.kind !== "word" || word(before) === "the") return false;
  return baseOf(token.lower) !== null || SUBJECTS.has(token.lower) || STARTS.test(token.lower);
};

const placeOf = (
  tokens: readonly Token[],
  source: string,
  isFirst: boolean,
): Omit<Placed, "length"> | null => {
  const near = nearLength(tokens);
  if (near > 0) {
    const thing = thingAt(tokens, near);
    const isNamed = thing?.to === tokens.length && thing.name !== null && !thing.isLoose;
    const beside = source.slice(tokens[near]?.start, tokens.at(-1)?.end);
    const name = thing?.isQuoted || thing?.kind !== "" ? beside : quote(beside);
    return isNamed ? { before: null, place: `next to ${name}`, message: null } : null;
  }
  const named = tokens.slice(1);
  const [only] = named;
  const said = tokens.map(({ lower }) => lower).join(" ");
  if (SPOT.test(said)) return { before: null, place: null, message: SPOT_LOST };
  if (
    only &&
    ADDRESS.test(only.text) &&
    named.length === 1 &&
    /^(?:on|at)$/.test(word(tokens[0]))
  ) {
    return isFirst ? { before: `go to ${only.text}`, place: null, message: null } : null;
  }
  // `On the contact page /contacts/31, …`
  const last = named.at(-1);
  const isOn = /^(?:on|at)$/.test(word(tokens[0])) && PAGE.test(word(named.at(-2)));
  if (isOn && last && ADDRESS.test(last.text) && named.length < 6) {
    return isFirst ? { before: `go to ${last.text}`, place: null, message: null } : null;
  }
  if (PAGE.test(word(last)) && named.length < 6 && AT_PAGE.test(word(tokens[0]))) {
    // `On the bottom of the page`, `In the second step`: a part of the page, or another page.
    if (named.some((token) => OTHER_PART.test(word(token)))) return null;
    const isPlain = named.every(({ kind, text }) => kind === "word" && !/\d/.test(text));
    if (isPlain) return { before: null, place: null, message: null };
    const isNamed = named.some(isQuoted);
    return isNamed ? { before: null, place: null, message: PAGE_LOST } : null;
  }
  const isSection =
    /^(?:within|inside|under|in)$/.test(word(tokens[0])) &&
    named.length === 1 &&
    only?.kind === "quoted";
  if (isSection) {
    return { before: null, place: `${source.slice(only.start, only.end)} section`, message: null };
  }
  // `Under Notifications, …`: what begins with a capital is a heading.
  if (word(tokens[0]) === "under" && named.length === 1 && isCapital(only)) {
    return { before: null, place: `"${only?.text}" section`, message: null };
  }
  // `Under the "Contact" heading there are …`
  const heading = /^(?:under|below|beneath)$/.test(word(tokens[0])) ? thingAt(named, 0) : null;
  const isHeading = heading?.to === named.length && /^(?:heading|headline)$/.test(heading.kind);
  if (heading && isHeading && heading.isQuoted && heading.ordinal === "") {
    return { before: null, place: `"${heading.name}" section`, message: null };
  }
  const place = readTarget(named, source);
  const text = source.slice(only?.start, named.at(-1)?.end);
  const find = place?.doubt === null ? place.target.find : null;
  const plain = text.replace(/^(?:the|a|an) /i, "");
  if (said.endsWith(" the header")) return { before: null, place: "header", message: null };
  if (find?.by !== "kind") return null;
  if (find.kind === "frame") return { before: `switch to ${text}`, place: null, message: null };
  const holds = kinds[find.kind].container === true || find.kind === "columnheader";
  const suits = word(tokens[0]) !== "for" || /^(?:row|listitem|section|form)$/.test(find.kind);
  return holds && suits ? { before: null, place: plain, message: null } : null;
};

const PAGE_LOST = "On which page is not looked at.";

/** The steps in the place; null when one of them can stand in none. */
export const stepsIn = (steps: readonly StepInput[], place: string | null): StepInput[] | null => {
  if (place === null) return [...steps];
  const placed: StepInput[] = [];
  for (const step of steps) {
    if (step.target === "") {
      if (!/^(?:press|wait|screenshot)$/.test(step.action)) return null;
      placed.push(step);
      continue;
    }
    if (step.action === "drag" || step.action.startsWith("switch")) return null;
    const { within, find } = parseTarget(step.target);
    const name = find.by === "name" && find.name === step.target ? `"${step.target}"` : step.target;
    if (place.startsWith("next to ")) {
      if (parseTarget(`${name} ${place}`).near === null) return null;
      placed.push({ ...step, target: `${name} ${place}` });
      continue;
    }
    const target = within ? step.target : `${name} in the ${place}`;
    if (parseTarget(target).within === null) return null;
    placed.push({ ...step, target });
  }
  return placed;
};
