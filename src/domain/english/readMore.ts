import type { StepInput } from "../catalogue/step.ts";
import { introduced } from "./introduced.ts";
import { word } from "./phrases.ts";
import { piecesOf } from "./pieces.ts";
import { stepsIn } from "./placed.ts";
import { readEither } from "./readings.ts";
import { saidPlainly } from "./sayings.ts";
import type { Context } from "./search.ts";
import { ORDERING, TOLD } from "./segments.ts";
import { tersely } from "./tersely.ts";
import { type Token, tokenize } from "./words.ts";

/** Reads by all means what stands for a sentence, or for a part of it; null when it is not understood in whole. */
export type ReadMore = (
  tokens: readonly Token[],
  source: string,
  context: Context,
) => readonly StepInput[] | null;

/** Reads a piece of a sentence that is not divided any further. */
export type ReadPiece = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
) => readonly StepInput[] | null;

/** How often a sentence is said otherwise of which a part is said otherwise again. */
const MAX_DEPTH = 3;

/** Reads a sentence that says what is done by something else, what comes of it, or what stands in brackets. */
export const readSayings = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  more: ReadMore,
): readonly StepInput[] | null => {
  const depth = context.depth ?? 0;
  if (depth >= MAX_DEPTH) return null;
  const deeper = { ...context, depth: depth + 1 };
  for (const way of saidPlainly(tokens, source)) {
    const isUnless = "unless" in way;
    // What is understood by itself is said besides, and not left out.
    if (isUnless && readEach([way.unless], deeper, more)) continue;
    const read = readEach(isUnless ? way.said : way, deeper, more);
    if (read) return read;
  }
  return null;
};

/** Reads sentences that nobody wrote, one after the other, as whatever is left unsaid may stand in the one before. */
const readEach = (
  said: readonly string[],
  context: Context,
  more: ReadMore,
): readonly StepInput[] | null => {
  const steps: StepInput[] = [];
  for (const text of said) {
    const { tokens, problem } = tokenize(text);
    if (problem) return null;
    const here: Context = {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
      // A key has nothing that "it" could stand for.
      last: steps.findLast(({ target }) => target !== "") ?? context.last ?? null,
    };
    const read = more(tokens, text, here);
    if (!read || read.length === 0) return null;
    steps.push(...read);
  }
  return steps;
};

/** `Assign both: tick "A" and "B"`: what stands before the colon is brought about by what stands behind it. */
export const readIntroduced = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
  more: ReadMore,
): readonly StepInput[] | null => {
  const depth = context.depth ?? 0;
  const said = depth < MAX_DEPTH ? introduced(tokens, source) : null;
  if (said === null) return null;
  // What is done before the colon is done as well.
  const lead = tokens.slice(0, said.from - 1);
  if (readEither(lead, source, context, isClaimed)) return null;
  const steps = readEach([said.text], { ...context, depth: depth + 1 }, more);
  const { form } = said;
  if (!steps || form === null) return steps;
  return steps.flatMap((step) =>
    FILLING.test(step.action) ? (stepsIn([step], form) ?? [step]) : [step],
  );
};

const FILLING = /^(?:fill|type|select|check|uncheck|clear|upload)$/;

/** How many pieces are read together at most. */
const MAX_TOGETHER = 4;

/** Reads a sentence piece by piece, where a piece may be but a name, a key, or a field and its text. */
export const readPieces = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
  { piece: readPiece, more }: { readonly piece: ReadPiece; readonly more: ReadMore },
): readonly StepInput[] | null => {
  if (isClaimed || context.mood === "then") return null;
  const pieces = piecesOf(tokens);
  if (pieces.length === 0 || TOLD.test(tokens.map(({ lower }) => lower).join(" "))) return null;
  const steps: StepInput[] = [];
  const isPressed = (from: number): boolean =>
    pieces.slice(from).some(({ tokens: said }) => PRESSED.test(said[0]?.text ?? ""));
  for (let at = 0; at < pieces.length; ) {
    const here: Context = {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
      last: steps.at(-1) ?? context.last ?? null,
    };
    const first = pieces[at];
    if (!first) return null;
    let read: readonly StepInput[] | null = null;
    let together = Math.min(
      MAX_TOGETHER,
      pieces.length - at,
      at === 0 ? pieces.length - 1 : MAX_TOGETHER,
    );
    for (; together > 0 && read === null; together--) {
      const piece = tokens.slice(
        tokens.indexOf(first.tokens[0] as Token),
        tokens.indexOf(pieces[at + together - 1]?.tokens.at(-1) as Token) + 1,
      );
      const isEnd = at + together === pieces.length;
      const isOpen =
        REACHES.test(word(piece[0])) ||
        piece.slice(0, -1).some((token) => ORDERING.test(word(token)));
      // A semicolon ends what a place or a condition reaches to.
      const isCut = pieces[at + together]?.joint === ";";
      if (isOpen && !isEnd && !isCut) continue;
      // `qty = 3` is a text that is typed, or a claim.
      const isSign = piece.some(({ text: said }) => said === "=");
      if (isSign && together > 1) continue;
      read = isSign ? null : readPiece(piece, source, here, false);
      const isPair = together === 2 && PAIRED.test(pieces[at + 1]?.joint ?? "");
      if (read === null && (together === 1 || isPair)) {
        const isForm = steps.some(({ action }) => action === "navigate") || isPressed(at + 1);
        const said = tersely(
          piece,
          {
            joint: first.joint,
            next: pieces[at + together]?.joint ?? "",
            last: steps.at(-1) ?? null,
            isLast: isEnd,
            isForm,
          },
          source,
        );
        read = said && readEach(said, here, more);
      }
    }
    if (!read || read.length === 0) return null;
    steps.push(...read);
    at += together + 1;
  }
  return steps;
};

const PAIRED = /^(?:->|=>|→|-|–)$/;
const PRESSED =
  /^(?:click|clicks|tap|taps|press|presses|hit|hits|submit|Save|Send|Submit|Continue|Apply)$/i;
/** A place, a time or a condition that stands first is said of all that follows. */
const REACHES =
  /^(?:in|within|inside|under|on|at|from|for|with|using|when|once|after|before|until|till|while|as|by|not|don't|never|upon|to|via|per|during|between|since|because|although|though|whenever|among)$/;
