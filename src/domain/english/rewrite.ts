import { findKind, kinds } from "../catalogue/kinds.ts";
import { readTarget } from "../catalogue/target.ts";
import { bothThings } from "./bothThings.ts";
import { CUE as TEXT_CUE } from "./cueBits.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import { causeLast, possessed, type Say, usedFor } from "./rewriteClaims.ts";
import { bothOf, boxesOf, fromContextMenu, ofAll } from "./rewriteLists.ts";
import { distributed, eachOfKind, neitherNor, notOr, nthAndNth } from "./rewriteNames.ts";
import {
  afterDoing,
  beforeDoing,
  byDoing,
  doingShows,
  doneAfter,
  onceSeen,
} from "./rewriteOrder.ts";
import { scoped } from "./scopes.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isQuoted = (token: Token | undefined): boolean => token?.kind === "quoted";
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&|or|then|but)$/.test(word(token));

/** No sentence that is rewritten is longer. */
const MAX_TOKENS = 60;

/**
 * Says a sentence that means several, or that puts the place first, as sentences that the forms know: the same
 * words in another order, none of them left out. Null for all others.
 */
export const rewritten = (
  tokens: readonly Token[],
  source: string,
  cues: number,
): readonly string[] | null => {
  if (tokens.length < 4 || tokens.length > MAX_TOKENS) return null;
  const start = word(tokens[0]);
  const said = (cues & TEXT_CUE.rewrite) === 0 ? 0 : cuesIn(tokens);
  if (said === 0 && !STARTS.has(start)) return null;
  const say = sayOf(tokens, source);
  const has = CUE;
  return (
    (STARTS.has(start) ? startingWith(tokens, source, say) : null) ??
    (said & has.by ? byDoing(tokens, source, say) : null) ??
    (said & has.so ? soThat(tokens, say) : null) ??
    (said & has.gerund ? doingShows(tokens, say) : null) ??
    (said & has.cause ? (causeLast(tokens, say) ?? doneAfter(tokens, say)) : null) ??
    (start === "use" || start === "uses" ? usedFor(tokens, source, say) : null) ??
    (said & has.possessive ? possessed(tokens, say) : null) ??
    (said & has.neither ? neitherNor(tokens, say) : null) ??
    (said & has.or ? notOr(tokens, say) : null) ??
    (said & has.menu ? fromContextMenu(tokens, say) : null) ??
    (said & has.boxes ? boxesOf(tokens, say) : null) ??
    (said & has.joint ? ofSeveral(tokens, source, say) : null)
  );
};

/** What a sentence that begins with a place, or with what was before, comes to. */
const startingWith = (tokens: readonly Token[], source: string, say: Say) =>
  scoped(tokens, source, say) ??
  placeFirst(tokens, source, say) ??
  besideFirst(tokens, source, say) ??
  placeBeforeVerb(tokens, source, say) ??
  placeBeforeClaim(tokens, source, say) ??
  onceSeen(tokens, say) ??
  afterDoing(tokens, say) ??
  beforeDoing(tokens, say);

const ofSeveral = (tokens: readonly Token[], source: string, say: Say) => {
  const named = ofAll(tokens);
  return (
    bothThings(tokens, say) ??
    bothOf(tokens, source, say) ??
    distributed(named, sayOf(named, source)) ??
    eachOfKind(tokens, say) ??
    nthAndNth(tokens, say)
  );
};

const STARTS = new Set(
  "next beside in within inside on under from for using once after as at by upon when use uses before".split(
    " ",
  ),
);

/** What tells that a sentence may be one of these at all: most are none. */
const CUE = {
  by: 1,
  so: 2,
  gerund: 4,
  cause: 8,
  possessive: 16,
  neither: 32,
  or: 64,
  menu: 128,
  boxes: 256,
  joint: 512,
} as const;

/** Words that such a sentence has in it; those that begin with a place are known by their beginning. */
export const CUES: ReadonlyMap<string, number> = new Map([
  ["by", CUE.by],
  ["so", CUE.so],
  ["neither", CUE.neither],
  ["or", CUE.or],
  ["menu", CUE.menu],
  ["and", CUE.joint],
  ["&", CUE.joint],
  [",", CUE.joint],
  ...["boxes", "checkboxes"].map((said): [string, number] => [said, CUE.boxes]),
  ...["after", "when", "once", "upon", "on"].map((said): [string, number] => [said, CUE.cause]),
  ...[...GERUNDS.keys()].map((said): [string, number] => [said, CUE.gerund]),
]);

const cuesIn = (tokens: readonly Token[]): number => {
  let cues = 0;
  for (const { kind, lower } of tokens) {
    if (kind !== "word" && kind !== "mark") continue;
    cues |= CUES.get(lower) ?? 0;
    if (lower.endsWith("'s")) cues |= CUE.possessive;
  }
  return cues;
};

const sayOf =
  (tokens: readonly Token[], source: string): Say =>
  (from, to) => {
    const part = tokens.slice(from, to);
    const [first] = part;
    return first ? source.slice(first.start, part.at(-1)?.end) : "";
  };

const PLACE = new Set(["in", "within", "inside", "on", "under", "from", "for", "using"]);

/** `In the "Billing" section, click "Change"` → `click "Change" in the "Billing" section`. */
const placeFirst = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!PLACE.has(word(tokens[0]))) return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (comma < 2 || comma === tokens.length - 1) return null;
  const isOne = !tokens.slice(comma + 1).some(isJoint);
  const end = isOne
    ? tokens.length
    : FILLING.test(word(tokens[comma + 1]))
      ? nextDeed(tokens, comma + 2)
      : 0;
  // Whether the place is meant for the second of two would be a guess.
  if (end === 0) return null;
  const place = readTarget(tokens.slice(1, comma), source);
  const kind = place?.target.find.by === "kind" ? place.target.find.kind : null;
  if (!place || place.doubt !== null || kind === null) return null;
  const isField = kind === "field" || kind === "dropdown" || kind === "box";
  const isPlace = isField || (kinds[kind].container && word(tokens[0]) !== "for");
  if (!isPlace) return null;
  const named = `in ${say(1, comma)}`;
  const rest = comma + 1;
  if (!isOne) {
    // `In the "Name" field, type "A" and click "Save"`: a field holds but what is typed into it.
    if (!isField && !(kind === "list" && CHOOSING.test(word(tokens[rest])))) return null;
    const isOver = end === tokens.length;
    const cut = lastBefore(tokens, end);
    const behind = isOver
      ? []
      : (placeFirst(tokens.slice(end), source, sayOf(tokens.slice(end), source)) ?? [say(end)]);
    return [`${say(rest, isOver ? end : cut)} ${named}`, ...behind];
  }
  // `In the "Cart" section, "Pay" should be disabled`: the place goes to the name.
  const predicate = tokens.findIndex((token, at) => at > rest && SAID_OF.test(word(token)));
  const isSubject =
    isQuoted(tokens[rest]) || (word(tokens[rest]) === "the" && isQuoted(tokens[rest + 1]));
  if (predicate > 0 && isSubject) return [`${say(rest, predicate)} ${named} ${say(predicate)}`];
  const filled = tokens.findIndex((token, at) => at > rest + 1 && word(token) === "with");
  if (filled > 0 && word(tokens[rest]).startsWith("fill")) {
    return [`${say(rest, filled)} ${named} ${say(filled)}`];
  }
  return [`${say(rest)} ${named}`];
};

/** `Next to "Total", click "Edit"` → `click "Edit" next to "Total"`. */
const besideFirst = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  const isNext = word(tokens[0]) === "next" && word(tokens[1]) === "to";
  if (!isNext && word(tokens[0]) !== "beside") return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  const verb = word(tokens[comma + 1]);
  if (comma < 2 || comma > 10 || !BESIDE.test(verb) || tokens.slice(comma + 1).some(isJoint))
    return null;
  const beside = readTarget(tokens.slice(isNext ? 2 : 1, comma), source);
  return beside?.doubt === null
    ? [`${say(comma + 1)} next to ${say(isNext ? 2 : 1, comma)}`]
    : null;
};

const BESIDE = /^(?:click|press|tap|tick|check|untick|uncheck|select|choose|hover)$/;

const CHOOSING = /^(?:selects?|chooses?|picks?)$/;
/** What is done to a field that was named before it. */
const FILLING =
  /^(?:types?|enters?|inputs?|writes?|puts?|inserts?|pastes?|provides?|specify|selects?|chooses?|picks?)$/;
const NEXT = /^(?:in|from|under|for|please|finally|next|make|verify|ensure)$/;

/** Where the next deed begins behind a joint; the end when none does. */
const nextDeed = (tokens: readonly Token[], from: number): number => {
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token || isJoint(token) || !isJoint(tokens[at - 1]) || token.kind !== "word") continue;
    const isSmall = token.text === token.lower;
    if (isSmall && (baseOf(token.lower) !== null || NEXT.test(token.lower))) return at;
  }
  return tokens.length;
};

/** Where what stands before a token ends, without the joints. */
const lastBefore = (tokens: readonly Token[], at: number): number => {
  let end = at;
  while (end > 0 && isJoint(tokens[end - 1])) end--;
  return end;
};

const SAID_OF = /^(?:should|is|are|must|has|have|contains|shows)$/;

const isKind = (token: Token): boolean => token.kind === "word" && findKind(token.lower) !== null;

/** `Click "Save" so that "Saved" is visible` → both, one after the other. */
const soThat = (tokens: readonly Token[], say: Say): string[] | null => {
  const so = tokens.findIndex(
    (token, at) => word(token) === "so" && word(tokens[at + 1]) === "that",
  );
  // Without a name it tells what it is done for.
  const isNamed = tokens.slice(so + 2).some((token) => isQuoted(token) || isKind(token));
  return so > 1 && isNamed ? [say(0, so), say(so + 2)] : null;
};

const VERB =
  /^(?:click|clicks|press|tap|enter|type|fill|select|choose|check|tick|untick|uncheck|hover|double-click|right-click|clear)$/;

/** `Within the "Cart" section click "Remove"` → `click "Remove" in the "Cart" section`. */
const placeBeforeVerb = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!/^(?:in|within|inside|on)$/.test(word(tokens[0]))) return null;
  const verb = tokens.findIndex((token) => VERB.test(word(token)));
  if (verb < 3 || verb === tokens.length - 1 || tokens.some(isJoint)) return null;
  const place = readTarget(tokens.slice(1, verb), source);
  const kind = place?.target.find.by === "kind" ? place.target.find.kind : null;
  const isPlace = place?.doubt === null && kind !== null && kinds[kind].container === true;
  return isPlace ? [`${say(verb)} in ${say(1, verb)}`] : null;
};

/** `Within the Cart section the Pay button should be disabled`: the place goes to the name. */
const placeBeforeClaim = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!/^(?:in|within|inside|on)$/.test(word(tokens[0])) || tokens.some(isJoint)) return null;
  const the = tokens.findIndex(
    (token, at) => at > 2 && (word(token) === "the" || (isQuoted(token) && at > 3)),
  );
  const said = tokens.findIndex((token, at) => at > the && SAID_OF.test(word(token)));
  if (the < 0 || said < the + 1) return null;
  const place = readTarget(tokens.slice(1, the), source);
  const kind =
    place?.doubt === null && place.target.find.by === "kind" ? place.target.find.kind : null;
  if (kind === null || !kinds[kind].container || kinds[kind].loose === undefined) return null;
  return [`${say(the, said)} in ${say(1, the)} ${say(said)}`];
};
