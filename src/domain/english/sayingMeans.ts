import { findKind } from "../catalogue/kinds.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import { GERUNDS } from "./inflections.ts";
import { word } from "./phrases.ts";
import { isHolder, placedThingAt } from "./places.ts";
import {
  asAsked,
  isBroughtAbout,
  quotedIn,
  type Saying,
  withName,
  written,
} from "./sayingParts.ts";
import { type Token, tokenize } from "./words.ts";

/** What is opened and closed as a whole: a key does not need to be told where it is. */
const CLOSING = /^(?:close|closes|dismiss|cancel|hide|leave|exit|quit)$/;
const MODIFIERS = /^(?:control|ctrl|shift|alt|meta|cmd|command|option)$/i;

/** A key or keys together as they are written, up to the end of the tokens; null for anything else. */
export const chordIn = (tokens: readonly Token[], source: string): string | null => {
  let from = word(tokens[0]) === "the" ? 1 : 0;
  if (/^(?:shortcut|keys?|combination)$/.test(word(tokens[from]))) from++;
  const end = /^(?:key|keys)$/.test(word(tokens.at(-1))) ? tokens.length - 1 : tokens.length;
  const said = written(tokens.slice(from, end), source);
  const isOne = end - from > 0 && end - from < 4 && !tokens.some(({ kind }) => kind !== "word");
  if (!isOne || MODIFIERS.test(said) || said.length < 2) return null;
  return parseKeyChord(said.replaceAll(/\s*\+\s*/g, "+")) === null ? null : said;
};

/** `Print with Ctrl+P`, `Close the "Tips" pop-up by pressing Esc`: a key by which it is done. */
export const doneByKey: Saying = (tokens, at, source) => {
  const before = tokens.slice(0, at);
  const isPressed = /^(?:pressing|hitting|using)$/.test(word(tokens[at + 1]));
  const rest = tokens.slice(isPressed ? at + 2 : at + 1);
  const chord = chordIn(rest, source);
  if (chord === null || !isBroughtAbout(before)) return null;
  const isHeld = quotedIn(before).length > 0 && !isClosed(before);
  return isHeld ? null : [`press the ${chord} key`];
};

/** Whether what is named is closed as a whole: `Close the "Tips" pop-up`. */
const isClosed = (tokens: readonly Token[]): boolean => {
  const thing = placedThingAt(tokens, 1);
  return CLOSING.test(word(tokens[0])) && thing?.to === tokens.length && isHolder(thing.kind);
};

/** `Search for "welder" by entering it in "Keyword"`: what is done is what stands behind. */
export const doneByOther: Saying = (tokens, at, source) => {
  const before = tokens.slice(0, at);
  const rest = tokens.slice(at + 1);
  const [name, ...more] = quotedIn(before);
  const verb = word(rest[0]);
  if (!GERUNDS.has(verb) || more.length > 0 || !isBroughtAbout(before)) return null;
  // A dialog of the browser is answered, whatever is clicked in it.
  const isAnswer = before.some((token) => ANSWERED.test(word(token)));
  if (isAnswer && rest.slice(1).some((token) => /^(?:ok|okay|yes|no|cancel)$/.test(token.lower)))
    return null;
  // `Expand the "Advanced" accordion by clicking it`: the whole of it is clicked.
  const object = placedThingAt(before, 1);
  const whole = object?.to === before.length ? before.slice(1) : [];
  const [start, end] = [whole[0], whole.at(-1)];
  const held = name && start && end ? { ...name, start: start.start, end: end.end } : name;
  const said = withName(rest, source, held);
  if (said === null) return null;
  // `Delete "A" by clicking "Delete"`: which of them?
  const isThere = said !== written(rest, source) || PLACED.test(said);
  const isTyped = /^(?:typing|entering|writing|selecting|choosing|picking|dragging)$/.test(verb);
  if (name && !isThere && !isTyped) return null;
  const { tokens: again, problem } = tokenize(said);
  const asked = problem ? null : asAsked(again, said);
  return asked === null ? null : [asked];
};

const ANSWERED = /^(?:alert|prompt|confirm|confirms|confirmation|accept|dismiss)$/;
const PLACED = / (?:in|inside|within|next to|beside|of) (?:the |its )/;
const CLICKED =
  /^(?:button|btn|link|hyperlink|icon|tab|menu item|menu option|menu entry|image|switch)$/;
/** What is gone on with, or ended: a name in quotes behind "with" is what is clicked. */
const ENDING =
  /^(?:submit|send|save|go|continue|proceed|hand|close|finish|complete|reject|decline|cancel|apply|leave|agree|submits|sends|saves|goes|continues|closes|finishes)$/;

/** `submit with the "Verify" button`, `reject it using "Only necessary"`: what is clicked for it. */
export const doneByMeans: Saying = (tokens, at, source) => {
  const before = tokens.slice(0, at);
  if (!isBroughtAbout(before) || quotedIn(before).length > 1) return null;
  if (before.some((token) => ANSWERED.test(word(token)))) return null;
  const isLong = word(tokens[at]) === "by" && word(tokens[at + 1]) === "means";
  const first = at + (isLong ? 3 : 1);
  const from = /^(?:its|their)$/.test(word(tokens[first])) ? first + 1 : first;
  if (word(tokens[at]) === "by" && !isLong) return null;
  const [name] = quotedIn(before);
  const rest = tokens.slice(from);
  const thing = placedThingAt(rest, /^(?:small|little|big)$/.test(word(rest[1])) ? 2 : 0);
  if (!thing || (thing.name === null && thing.ordinal === "")) return null;
  const isKnown = CLICKED.test(thing.kind) || findKind(thing.kind) === "button";
  const isNamed = thing.kind === "" && thing.isQuoted && ENDING.test(word(before[0]));
  const said = withName(rest, source, name);
  if (!(isKnown || isNamed) || said === null) return null;
  // What is named is where, unless the rest says it.
  const isThere = said !== written(rest, source) || thing.places.length > 0;
  const isHeld = name && !isThere && !isClosed(before);
  const isOver = thing.to === rest.length || said !== written(rest, source);
  if (isHeld || !isOver) return null;
  const isIts = from > first && name && isClosed(before);
  return [`click ${said}${isIts ? ` in ${written(before.slice(1), source)}` : ""}`];
};
