import { ordinalOf } from "../catalogue/targetParts.ts";
import { isQuoted, word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, isMark, NEGATING, type Saying, written } from "./sayingParts.ts";
import { type Thing, thingAt, thingCalled } from "./things.ts";
import { isCapital } from "./thingWords.ts";
import type { Token } from "./words.ts";

/** What a claim goes on with behind what it is claimed of. */
const CLAIMED =
  /^(?:is|are|should|must|has|have|shows|reads|says|contains|displays|equals|holds|includes|becomes|will|needs)$/;
const LEADING = /^(?:verify|check|ensure|confirm|assert|that|if|then)$/;
const BEHIND = /^(?:selected|chosen|picked|filled)$/;
const JOINING = /^(?:with|to|by|as|at|in)$/;

/** A claim of which what it is claimed of and what is claimed are known apart. */
type Claim = {
  readonly thing: Thing;
  readonly from: number;
  /** Where the words begin that claim it, and where the text stands that it is. */
  readonly verb: number;
  readonly value: number;
};

const claimAt = (tokens: readonly Token[]): Claim | null => {
  let from = 0;
  while (LEADING.test(word(tokens[from])) && from < 3) from++;
  const thing = placedThingAt(tokens, from) ?? capitalAt(tokens, from);
  if (!thing || thing.isLoose || !CLAIMED.test(word(tokens[thing.to]))) return null;
  const value = tokens.findIndex((token, at) => at > thing.to && token.kind === "quoted");
  const between = tokens.slice(thing.to, value);
  const isPlain = between.every(
    (token) => token.kind === "word" && !NEGATING.test(token.lower) && !isJoint(token),
  );
  return value > thing.to && isPlain ? { thing, from, verb: thing.to, value } : null;
};

/** `Make should be …`: words with capitals before a verb are a name. */
const capitalAt = (tokens: readonly Token[], at: number): Thing | null => {
  let to = at;
  while (to < at + 3 && isCapital(tokens[to])) to++;
  if (to === at || !CLAIMED.test(word(tokens[to]))) return null;
  const name = tokens
    .slice(at, to)
    .map(({ text }) => text)
    .join(" ");
  return thingCalled(name, false, "", to);
};

/** `the last one`, `the second`: another of the same, as it was said of the first. */
const anotherOf = (
  said: readonly Token[],
  { thing, from }: Claim,
  tokens: readonly Token[],
  source: string,
): string | null => {
  const at = word(said[0]) === "the" ? 1 : 0;
  const ordinal = said[at];
  const isOne = word(said[at + 1]) === "one" && said.length === at + 2;
  if (at === 0 || !ordinal || ordinalOf(ordinal) === null) return null;
  if (!isOne && said.length !== at + 1) return null;
  const start = word(tokens[from]) === "the" ? from + 1 : from;
  return thing.ordinal === ""
    ? null
    : `the ${ordinal.text} ${written(tokens.slice(start + 1, thing.to), source)}`;
};

const MAX_PART = 9;

/** One of the others of which the same is claimed, as a sentence; null where it may be something else. */
const sameOf = (
  right: readonly Token[],
  claim: Claim,
  left: readonly Token[],
  source: string,
): string | null => {
  const end = BEHIND.test(word(right.at(-1))) ? right.length - 2 : right.length - 1;
  const value = right[end];
  if (value?.kind !== "quoted" || right.length > MAX_PART || end < 1) return null;
  if (right.some((token) => isJoint(token) || NEGATING.test(word(token)))) return null;
  const verb = left.slice(claim.verb, claim.value);
  const isJoined = JOINING.test(word(right[end - 1]));
  if (isJoined && word(right[end - 1]) !== word(verb.at(-1))) return null;
  const said = right.slice(0, isJoined ? end - 1 : end);
  const thing = thingAt(said, 0);
  // `… and the button "B"` may as well be a button that is called so.
  const isBare = thing !== null && thing.name === null && thing.ordinal === "";
  if (isBare && !isJoined && end === right.length - 1) return null;
  if (said.length === 1 && isQuoted(said[0]) && claim.thing.kind !== "") return null;
  const isThing = thing?.to === said.length && (thing.isQuoted || thing.kind !== "");
  const isCapitals = said.length < 4 && said.every(isCapital);
  const other = isThing || isCapitals ? written(said, source) : null;
  const name = other ?? anotherOf(said, claim, left, source);
  const behind = word(left[claim.value + 1]);
  const tail = BEHIND.test(behind) ? ` ${behind}` : "";
  return name && `${name} ${written(verb, source)} ${written([value], source)}${tail}`;
};

/** `The "Role" dropdown should have "A" selected, the "Level" dropdown "B"`: the same is claimed of all others. */
export const sameClaimed: Saying = (tokens, at, source) => {
  const left = tokens.slice(0, at);
  const claim = claimAt(left);
  // It is said of all of them at the first joint behind it.
  if (!claim || !left.slice(claim.value + 1).every((token) => BEHIND.test(word(token))))
    return null;
  const said = [written(left, source)];
  let from = at;
  while (from < tokens.length) {
    while (isMark(tokens[from], ",") || word(tokens[from]) === "and") from++;
    let to = from;
    while (to < tokens.length && !isJoint(tokens[to])) to++;
    const one = sameOf(tokens.slice(from, to), claim, left, source);
    if (one === null) return null;
    said.push(one);
    from = to;
  }
  return said;
};
