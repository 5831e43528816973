import { findKind, kinds } from "../catalogue/kinds.ts";
import { parseTarget, type Target } from "../catalogue/target.ts";
import { word } from "./phrases.ts";
import { byFirstWord, lengthAt } from "./saidAt.ts";
import { readTargetSlot } from "./targetSlot.ts";
import { isQuotedName, type Thing, thingAt } from "./things.ts";
import { holdsThings, kindLengthAt } from "./thingWords.ts";
import { quote, type Token, tokenize } from "./words.ts";

const phrases = (said: string): ReadonlyMap<string, readonly (readonly string[])[]> =>
  byFirstWord(
    said.split("|").map((one) => one.split(" ")),
    (words) => words,
  );
const NEAR = phrases(
  "right next to|just next to|directly next to|next to|beside|right beside|adjacent to|alongside|near",
);
const WITHIN = phrases("inside of|inside|within|in|on|of|from|under");
/** What only says that a thing is somewhere: `displayed next to "Total"`. */
const SHOWN = new Set(
  "displayed shown listed located found given placed printed stated".split(" "),
);
/** All that a place can begin with. */
const PLACING = new Set([...SHOWN, ...NEAR.keys(), ...WITHIN.keys(), "of", "for"]);
const OWNED =
  /^(?:button|link|icon|checkbox|menu|cell|toggle|switch|quantity|price|amount|status|count|stock)$/;

/** Whether a kind of thing holds others. */
export const isHolder = (kind: string): boolean => {
  const found = findKind(kind);
  return (
    holdsThings(kind) ||
    (found !== null && (kinds[found].container === true || found === "columnheader"))
  );
};

/** The place that begins with a token, in the words of targets; null when none does. */
export const placeAt = (
  tokens: readonly Token[],
  at: number,
  of: Thing | null,
): { readonly text: string; readonly to: number } | null => {
  const first = word(tokens[at]);
  if (!PLACING.has(first)) return null;
  const from = SHOWN.has(first) ? at + 1 : at;
  const near = lengthAt(NEAR, tokens, from);
  if (near > 0) {
    const thing = thingAt(tokens, from + near);
    return thing && thing.name !== null ? { text: `next to ${textOf(thing)}`, to: thing.to } : null;
  }
  const preposition = word(tokens[from]);
  const within = lengthAt(WITHIN, tokens, from);
  if (within > 0) {
    const thing = thingAt(tokens, from + within);
    const isHeader = thing?.kind === "header" && thing.name === null;
    if (thing?.isDefinite && (isHolder(thing.kind) || isHeader))
      return { text: `in the ${textOf(thing)}`, to: thing.to };
  }
  // `the "Edit" link of "Ann"`: what stands in a row is told by what the row is called.
  const owner =
    /^(?:of|for)$/.test(preposition) && of && OWNED.test(of.kind === "" ? (of.name ?? "") : of.kind)
      ? tokens[from + 1]
      : undefined;
  if (isQuotedName(owner) && kindLengthAt(tokens, from + 2) === 0) {
    return { text: `in the ${quote(owner.text)} row`, to: from + 2 };
  }
  return null;
};

/** The thing that begins with a token, and all the places that stand behind it. */
export const placedThingAt = (
  tokens: readonly Token[],
  at: number,
  isLooseToo = false,
): Thing | null => {
  let thing = thingAt(tokens, at, isLooseToo);
  if (!thing) return null;
  while (thing.places.length < 3) {
    const place = placeAt(tokens, thing.to, thing);
    if (!place) break;
    thing = { ...thing, places: [...thing.places, place.text], to: place.to };
  }
  return thing;
};

const headOf = ({ name, isQuoted, kind }: Thing): string => {
  const called = name === null ? "" : isQuoted || kind === "" ? quote(name) : name;
  return `${called} ${kind}`.trim();
};

/** A thing in the words of targets, without its places. */
export const textOf = (thing: Thing): string => `${thing.ordinal}${headOf(thing)}`;

const depthOf = (target: Target | null): number =>
  target === null ? 0 : 1 + depthOf(target.within) + depthOf(target.near);

/** The target that a thing is, in places that stand elsewhere besides its own; null when that is not certain. */
export const targetOf = (thing: Thing, elsewhere: readonly string[] = []): string | null => {
  const places = [...thing.places, ...elsewhere];
  const said = [textOf(thing), ...places].join(" ");
  const { tokens, problem } = tokenize(said);
  const slot = problem ? null : readTargetSlot(tokens, said);
  if (!slot || slot.doubt !== null) return null;
  // Each place must have been understood as one.
  const target = parseTarget(slot.text);
  const isOrdered = (thing.ordinal === "") === (target.ordinal === null);
  return isOrdered && depthOf(target) === places.length + 1 ? slot.text : null;
};
