import type { StepInput } from "../catalogue/step.ts";
import { arrowed, dashAt, isNameAndText, namedAlone, separated } from "./chains.ts";
import { menuPath } from "./menuPaths.ts";
import { filledWith, pairOf } from "./pairs.ts";
import { readEither, readText, readTexts } from "./readings.ts";
import type { Context } from "./search.ts";
import { describedAs } from "./sentence.ts";
import { colonAt } from "./summed.ts";
import type { Token } from "./words.ts";

/* Sentences that a sign divides, each of whose parts is understood in whole: arrows, colons, dashes, commas. */

/** `/login -> Sign in -> "Welcome"`: what stands between arrows, one after the other. */
export const readArrows = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const parts = arrowed(tokens);
  // `Name -> "Ann"`: a name that is clicked, or a field and its text?
  if (!parts || (parts.length === 2 && isNameAndText(parts))) return null;
  const steps: StepInput[] = [];
  let isFilled = false;
  for (const [index, part] of parts.entries()) {
    const here = { ...context, isFirst: context.isFirst && index === 0 };
    // What stands in quotes behind a field that is filled in is pressed, and not seen.
    const alone = namedAlone(part, source, index === parts.length - 1 && !isFilled);
    const words = source.slice(part[0]?.start, part.at(-1)?.end);
    const filled = index < parts.length - 1 && context.mood !== "then" ? filledIn(words) : null;
    const other = alone ?? filled;
    isFilled = alone === null && filled !== null;
    const read = other === null ? readEither(part, source, here, false) : readText(other, here);
    if (!read) return null;
    steps.push(...read.map((step) => describedAs(step, words)));
  }
  return steps;
};

/** `Email: a@b.c` between arrows is filled in. */
const filledIn = (words: string): string | null => {
  const pair = words.includes(":") ? pairOf(words, false) : null;
  return pair && filledWith(pair.name, pair.value);
};

/** The tokens of a sentence, and between them the colons that were left out before texts in quotes. */
export const withColons = (tokens: readonly Token[], source: string): readonly Token[] => {
  if (!source.includes(":")) return tokens;
  const isLeftOut = (token: Token, at: number): boolean =>
    token.kind === "word" && source[token.end] === ":" && tokens[at + 1]?.start !== token.end;
  if (!tokens.some(isLeftOut)) return tokens;
  return tokens.flatMap((token, at) =>
    isLeftOut(token, at)
      ? [
          token,
          { kind: "mark", text: ":", lower: ":", start: token.end, end: token.end + 1 } as const,
        ]
      : [token],
  );
};

/** `Type "a" and press Enter: the cell says "a"`: behind the colon stands what is then to be seen. */
export const readShown = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const cut = colonAt(tokens);
  if (cut === 0) return null;
  const done = readEither(tokens.slice(0, cut), source, context, false);
  if (!done?.length || done.some(({ action }) => action.startsWith("assert_"))) return null;
  const here: Context = { mood: "then", isFirst: false, last: done.at(-1) ?? null };
  const seen = readEither(tokens.slice(cut + 1), source, here, true);
  return seen?.every(({ action }) => action.startsWith("assert_")) ? [...done, ...seen] : null;
};

/** Reads what a dash or an arrow divides, where both sides are understood in whole. */
export const readDashed = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const cut = dashAt(tokens);
  if (cut === 0) return null;
  const one = readEither(tokens.slice(0, cut), source, context, isClaimed);
  if (!one) return null;
  const here = { ...context, isFirst: false };
  const other = readEither(tokens.slice(cut + 1), source, here, isClaimed);
  return other && [...one, ...other];
};

/** Reads what stands between commas by itself, where all of it can be read so. */
export const readSeparately = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const parts = separated(tokens);
  if (parts.length < 2) return null;
  const steps: StepInput[] = [];
  for (const part of parts) {
    const here = { ...context, isFirst: context.isFirst && steps.length === 0 };
    const path = menuPath(part, source);
    const read = path ? readTexts(path, here) : readEither(part, source, here, isClaimed);
    if (!read) return null;
    steps.push(...read);
  }
  return steps;
};
