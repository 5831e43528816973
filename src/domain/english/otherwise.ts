import type { StepInput } from "../catalogue/step.ts";
import { arrowedState, cutBehindDeed } from "./chains.ts";
import { claimTurns } from "./claimTurns.ts";
import { composed } from "./compose.ts";
import { doneByClick, withConsequence } from "./consequences.ts";
import { deedTurns } from "./deedTurns.ts";
import { readArrows, readDashed, readSeparately, readShown, withColons } from "./divided.ts";
import { elaborated, leadingDeed, reordered } from "./explained.ts";
import { HINT, hintsOf } from "./hints.ts";
import { GERUNDS } from "./inflections.ts";
import { keysAlone } from "./keysAfter.ts";
import { menuPath } from "./menuPaths.ts";
import { eachClaimed, isClaimSplit } from "./objectLists.ts";
import { whoDoes } from "./persons.ts";
import { word } from "./phrases.ts";
import { placedFirst, stepsIn } from "./placed.ts";
import { startsWithIts, withIts } from "./possessive.ts";
import { readEither, readFirst, readText, readTexts } from "./readings.ts";
import { type ReadMore, readIntroduced, readPieces, readSayings } from "./readMore.ts";
import { restated } from "./restate.ts";
import { readEachThere, readLists, readThere, readTimed, readWaited } from "./saidAsOne.ts";
import type { Context } from "./search.ts";
import { isReaching, ORDERING, segmentsOf, TOLD } from "./segments.ts";
import { summedUp } from "./summed.ts";
import { testedLead, whenSeen } from "./tested.ts";
import { type Token, tokenize } from "./words.ts";

/** What a sentence comes to that no form takes as it is, and what a person is told of it. */
type Otherwise = { readonly steps: readonly StepInput[]; readonly message: string | null };

const certain = (steps: readonly StepInput[] | null): Otherwise | null =>
  steps && steps.length > 0 ? { steps, message: null } : null;

/** `In the "Billing" section: …`: what stands behind, there. */
const readPlaced = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const lead = claimedLead(tokens);
  if (lead > 0) {
    const there = readPlaced(tokens.slice(lead), source, { ...context, mood: "then" }, true);
    return there?.steps.every(({ action }) => action.startsWith("assert_")) ? there : null;
  }
  const placed = placedFirst(tokens, source, context.isFirst);
  if (!placed) return null;
  const before = placed.before === null ? [] : readText(placed.before, context);
  const here = { ...context, isFirst: context.isFirst && placed.before === null };
  const rest = tokens.slice(placed.length);
  const path = menuPath(rest, source);
  const read =
    before &&
    ((path && readTexts(path, here)) ??
      readEither(rest, source, here, isClaimed) ??
      // Whether what is done then is done there too is not known.
      (rest.some((token) => word(token) === "then")
        ? null
        : readSegments(rest, source, here, isClaimed)));
  // `From the "Actions" menu, choose A and click B`: a menu is closed by what is chosen in it.
  const inside = read && word(tokens[0]) === "from" ? read.slice(0, 1) : read;
  const chosen = inside && stepsIn(inside, placed.place);
  const steps = chosen && read && [...chosen, ...read.slice(chosen.length)];
  return steps && { steps: [...(before ?? []), ...steps], message: placed.message };
};

const CLAIMING = new Set(["verify", "check", "ensure", "confirm", "assert", "validate"]);

/** `verify that under "Billing" …`: how many words only say that a claim follows, before a place. */
const claimedLead = (tokens: readonly Token[]): number => {
  if (!CLAIMING.has(word(tokens[0]))) return 0;
  const lead = /^(?:that|if|whether)$/.test(word(tokens[1])) ? 2 : 1;
  return /^(?:in|within|inside|under|on)$/.test(word(tokens[lead])) ? lead : 0;
};

/** Reads what no form takes as it is: in plainer words, in its place, part by part. Null when it is not certain. */
export const readOtherwise = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const read = readAnyWay(tokens, source, context, isClaimed);
  if (read && isClaimSplit(tokens, read.steps)) return null;
  if (read) return read;
  // `Ask for a callback: "Call me" button, …`: the colon before a text in quotes was left out.
  const colons = withColons(tokens, source);
  if (colons === tokens) return null;
  const list = eachClaimed(colons, source);
  return certain(
    (list && readTexts(list, context)) ??
      readIntroduced(colons, source, context, isClaimed, readMore) ??
      readShown(colons, source, context) ??
      readPieces(colons, source, context, isClaimed, { piece: readPiece, more: readMore }) ??
      readSayings(colons, source, context, readMore),
  );
};

const readAnyWay = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const isDone = context.mood === "given" || context.mood === "when";
  const plain = restated(tokens, source, isClaimed || context.mood === "then", isDone);
  // In plainer words it is no longer said who can do what.
  const hints = hintsOf(tokens);
  const summed = (hints & (HINT.colon | HINT.as)) === 0 ? 0 : summedUp(tokens);
  if (summed > 0) {
    const behind = tokens.slice(summed);
    const shown =
      readEither(behind, source, context, isClaimed) ?? readArrows(behind, source, context);
    if (shown?.length) return certain(shown);
  }
  // In plainer words it is no longer said what is not so.
  const there = (hints & HINT.list) === 0 ? null : readEachThere(tokens, source, context);
  if (there) return certain(there);
  const tested = testedLead(tokens);
  if (tested > 0) {
    const read = readEither(tokens.slice(tested), source, { ...context, mood: null }, false);
    if (read && read.length > 1 && read.at(-1)?.action.startsWith("assert_")) return certain(read);
  }
  const told = whenSeen(tokens, source, context);
  const both = told && readTexts(told, { ...context, mood: null });
  if (both) return certain(both);
  const made = plain === null ? null : readText(plain, context);
  if (made) return certain(made);
  const whole = composed(tokens, source, context, isClaimed);
  if (whole) return certain(whole);
  if (plain === null) {
    return (
      readRearranged(tokens, source, context, isClaimed, hints) ??
      certain(readTimed(tokens, source, context, isClaimed, hints)) ??
      certain(readPieces(tokens, source, context, isClaimed, { piece: readPiece, more: readMore }))
    );
  }
  // Nor what stands in brackets, nor what is brought about by it.
  const isBracketed = tokens.some(({ kind, text }) => kind === "mark" && text === "(");
  const how = isBracketed ? certain(readSayings(tokens, source, context, readMore)) : null;
  if (how) return how;
  const caused = GERUNDS.has(word(tokens[0])) ? withConsequence(tokens, source) : null;
  const effect = certain(caused && readTexts(caused, context));
  if (effect) return effect;
  // In plainer words it is no longer told what was done before.
  const before = certain(readFirst(reordered(tokens, source), context));
  if (before) return before;
  const again = tokenize(plain);
  if (again.problem) return null;
  const other = hintsOf(again.tokens);
  return (
    readRearranged(again.tokens, plain, context, isClaimed, other) ??
    certain(composed(again.tokens, plain, context, isClaimed)) ??
    certain(readTimed(again.tokens, plain, context, isClaimed, other)) ??
    certain(readPieces(tokens, source, context, isClaimed, { piece: readPiece, more: readMore })) ??
    certain(isBracketed ? null : readSayings(tokens, source, context, readMore)) ??
    // `…, lastly "Confirm"`: plainer words have lost the order.
    certain(readIntroduced(tokens, source, context, isClaimed, readMore))
  );
};

/** Reads a sentence as one: what it brings about, a list of things, what is waited for, what was done first, its place. */
const readWhole = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
  hints: number,
): Otherwise | null => {
  const path =
    menuPath(tokens, source) ??
    keysAlone(tokens) ??
    ((hints & HINT.who) === 0 ? null : whoDoes(tokens, source));
  const caused = withConsequence(tokens, source);
  const clicked = caused === null ? doneByClick(tokens, source) : null;
  const state = arrowedState(tokens, source);
  return (
    certain(path && readTexts(path, context)) ??
    certain(caused && readTexts(caused, context)) ??
    certain(readLists(tokens, source, context, hints)) ??
    certain(clicked === null ? null : readText(clicked, context)) ??
    certain(readWaited(tokens, source, context)) ??
    certain(readFirst(leadingDeed(tokens, source), context)) ??
    certain((hints & HINT.order) === 0 ? null : readFirst(reordered(tokens, source), context)) ??
    certain(
      (hints & (HINT.colon | HINT.as)) === 0
        ? null
        : readElaborated(tokens, source, context, isClaimed),
    ) ??
    certain(state === null ? null : readText(state, context)) ??
    certain(readFirst(claimTurns(tokens, source, isClaimed), context)) ??
    certain(readFirst(deedTurns(tokens, source, context.last ?? null), context)) ??
    certain(readThere(tokens, source, context)) ??
    readPlaced(tokens, source, context, isClaimed) ??
    certain(readSayings(tokens, source, context, readMore))
  );
};

/** Reads a path through menus, keys alone, what is done in a place or after something, and what arrows divide. */
const readRearranged = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
  hints: number,
): Otherwise | null => {
  const found =
    readWhole(tokens, source, context, isClaimed, hints) ??
    certain((hints & HINT.arrow) === 0 ? null : readArrows(tokens, source, context));
  if (found) return found;
  const cuts = (hints & (HINT.order | HINT.by)) === 0 ? [] : cutBehindDeed(tokens, source);
  for (const cut of cuts) {
    const read = readTexts(cut.split("\n"), context);
    if (read) return certain(read);
  }
  return certain(
    ((hints & HINT.dash) === 0 ? null : readDashed(tokens, source, context, isClaimed)) ??
      ((hints & HINT.colon) === 0 ? null : readShown(tokens, source, context)) ??
      ((hints & HINT.comma) === 0 ? null : readSeparately(tokens, source, context, isClaimed)) ??
      ((hints & HINT.joint) === 0 ? null : readSegments(tokens, source, context, isClaimed)),
  );
};

/** Reads by all means what stands for a sentence, or for a part of it. */
const readMore: ReadMore = (tokens, source, context) => {
  const read = readEither(tokens, source, context, false);
  if (read) return read;
  const found = readOtherwise(tokens, source, context, false);
  return found === null || found.message !== null ? null : found.steps;
};

/** Reads a piece of a sentence, in plainer words or said otherwise where need be. */
const readPiece = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const its = startsWithIts(tokens) ? withIts(tokens, source, context.last) : null;
  const read =
    its === null ? readEither(tokens, source, context, isClaimed) : readText(its, context);
  if (read) return read;
  const hints = hintsOf(tokens);
  const whole = readWhole(tokens, source, context, isClaimed, hints);
  if (whole) return whole.message === null ? whole.steps : null;
  return readTimed(tokens, source, context, isClaimed, hints);
};

/** Reads a sentence piece by piece: as much of it as is understood together, and then the rest; null when some is not. */
const readSegments = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const segments = segmentsOf(tokens);
  if (segments.length < 2) return null;
  const said = tokens.map(({ lower }) => lower).join(" ");
  // `qty = 3` before a deed is a text that is typed, or a claim.
  if (TOLD.test(said) || / ={1,2} /.test(said)) return null;
  const steps: StepInput[] = [];
  let at = 0;
  while (at < segments.length) {
    const first = segments[at];
    if (!first) return null;
    let read: readonly StepInput[] | null = null;
    const least = isReaching(tokens, first) ? segments.length - 1 : at;
    // As a whole it was not understood.
    let last = at === 0 ? segments.length - 2 : segments.length - 1;
    for (; last >= least && read === null; last--) {
      const piece = tokens.slice(first.from, segments[last]?.to);
      // What an "after" or "if" reaches to is not known when something else follows.
      if (last < segments.length - 1 && piece.some((token) => ORDERING.test(word(token)))) continue;
      // Nor is a place left behind that what follows stands in as well.
      const isLeft = segments.slice(at + 1, last + 1).some((inner) => isReaching(tokens, inner));
      if (last < segments.length - 1 && isLeft) continue;
      const here: Context = {
        ...context,
        isFirst: context.isFirst && steps.length === 0,
        last: steps.at(-1) ?? context.last ?? null,
      };
      read = readPiece(piece, source, here, isClaimed);
    }
    if (!read || read.length === 0) return null;
    steps.push(...read);
    at = last + 2;
  }
  return steps;
};

/** `Edit the description: clear "Description", type "B"`: behind the colon stands what is done for it. */
const readElaborated = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const explained = elaborated(tokens);
  const from = explained || summedUp(tokens);
  if (from === 0) return readIntroduced(tokens, source, context, isClaimed, readMore);
  const rest = tokens.slice(from);
  // A name behind an arrow, or what "it" is called, sums up nothing; what is done before the colon is done as well.
  const lead = tokens.slice(0, Math.max(explained - 1, 0));
  const before = source.slice(0, tokens[0]?.start).trimEnd();
  const isName = /^\p{Lu}/u.test(tokens[0]?.text ?? "") && before !== "" && !/[.!?:]$/.test(before);
  if (explained > 0 && (isName || lead.some((token) => word(token) === "it"))) return null;
  if (explained > 0 && readEither(tokens.slice(0, explained - 1), source, context, isClaimed))
    return null;
  const read = readEither(rest, source, context, isClaimed);
  return read ?? (explained > 0 ? readSegments(rest, source, context, isClaimed) : null);
};
