import type { StepInput } from "../step.ts";
import { type Token, tokenize } from "../words.ts";
import { arrowed, cutBehindDeed, keysAlone, menuPath, namedAlone, separated } from "./chains.ts";
import { placedFirst, stepsIn } from "./placed.ts";
import { withoutCourtesy } from "./polite.ts";
import { type Reader, readerOf } from "./reader.ts";
import { restated } from "./restate.ts";
import { rewritten } from "./rewrite.ts";
import { whenSeen } from "./rewriteOrder.ts";
import type { Context } from "./search.ts";
import { type ReadSentence, readSentence } from "./sentence.ts";

/** Reads a sentence, or all those that it means; what a person wrote stays the description. */
export const readAll = (
  tokens: readonly Token[],
  reader: Reader,
  context: Context,
): ReadSentence => {
  const { source } = reader;
  const polite = withoutCourtesy(tokens);
  const said =
    rewritten(polite, source) ?? (context.mood === "when" ? whenSeen(polite, source) : null);
  if (!said) return readSentence(tokens, reader, context);
  const words = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps: StepInput[] = [];
  for (const sentence of said) {
    const read = readSentence(tokenize(sentence).tokens, readerOf(sentence), {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
      last: steps.at(-1) ?? context.last ?? null,
    });
    // Not one of these after all: what was written says best what is wrong with it.
    if (!read.ok) return readSentence(tokens, reader, context);
    steps.push(...read.steps.map((step) => ({ ...step, description: words })));
  }
  return { ok: true, steps };
};

/** What a sentence comes to that no form takes as it is, and what a person is told of it. */
type Otherwise = { readonly steps: readonly StepInput[]; readonly message: string | null };

const certain = (steps: readonly StepInput[] | null): Otherwise | null =>
  steps && steps.length > 0 ? { steps, message: null } : null;

/** Reads a text that nobody wrote; null when it is not understood in whole. */
const readText = (said: string, context: Context): readonly StepInput[] | null => {
  const { tokens, problem } = tokenize(said);
  if (problem) return null;
  const read = readAll(tokens, readerOf(said), context);
  return read.ok ? read.steps : null;
};

/** Reads sentences that stand for one, all of them or none. */
const readTexts = (said: readonly string[], context: Context): readonly StepInput[] | null => {
  const steps: StepInput[] = [];
  for (const text of said) {
    const read = readText(text, { ...context, isFirst: context.isFirst && steps.length === 0 });
    if (!read) return null;
    steps.push(...read);
  }
  return steps;
};

/** The same in plainer words; null when it is not understood so either. */
export const readPlainly = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const isDone = context.mood === "given" || context.mood === "when";
  const plain = restated(tokens, source, isClaimed || context.mood === "then", isDone);
  return plain === null ? null : readText(plain, context);
};

const readEither = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const read = readAll(tokens, readerOf(source), context);
  return read.ok ? read.steps : readPlainly(tokens, source, context, isClaimed);
};

/** `In the "Billing" section: …`: what stands behind, there. */
const readPlaced = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const placed = placedFirst(tokens, source, context.isFirst);
  if (!placed) return null;
  const before = placed.before === null ? [] : readText(placed.before, context);
  const here = { ...context, isFirst: context.isFirst && placed.before === null };
  const rest = tokens.slice(placed.length);
  const read = before && readEither(rest, source, here, isClaimed);
  const steps = read && stepsIn(read, placed.place);
  return steps && { steps: [...(before ?? []), ...steps], message: placed.message };
};

/** `/login -> Sign in -> "Welcome"`: what stands between arrows, one after the other. */
const readArrows = (
  tokens: readonly Token[],
  source: string,
  context: Context,
): readonly StepInput[] | null => {
  const parts = arrowed(tokens);
  if (!parts) return null;
  const steps: StepInput[] = [];
  for (const [index, part] of parts.entries()) {
    const here = { ...context, isFirst: context.isFirst && index === 0 };
    const alone = namedAlone(part, source, index === parts.length - 1);
    const read = alone === null ? readEither(part, source, here, false) : readText(alone, here);
    if (!read) return null;
    const words = source.slice(part[0]?.start, part.at(-1)?.end);
    steps.push(...read.map((step) => ({ ...step, description: words })));
  }
  return steps;
};

/** Reads what no form takes as it is: in plainer words, in its place, part by part. Null when it is not certain. */
export const readOtherwise = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const isDone = context.mood === "given" || context.mood === "when";
  const plain = restated(tokens, source, isClaimed || context.mood === "then", isDone);
  if (plain === null) return readRearranged(tokens, source, context, isClaimed);
  const read = readText(plain, context);
  if (read) return certain(read);
  const again = tokenize(plain);
  return again.problem ? null : readRearranged(again.tokens, plain, context, isClaimed);
};

/** Reads a path through menus, keys alone, what is done in a place or after something, and what arrows divide. */
const readRearranged = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): Otherwise | null => {
  const path = menuPath(tokens, source) ?? keysAlone(tokens);
  const found =
    certain(path && readTexts(path, context)) ??
    readPlaced(tokens, source, context, isClaimed) ??
    certain(readArrows(tokens, source, context));
  if (found) return found;
  for (const cut of cutBehindDeed(tokens, source)) {
    const read = readTexts(cut.split("\n"), context);
    if (read) return certain(read);
  }
  return certain(readSeparately(tokens, source, context, isClaimed));
};

/** Reads what stands between commas by itself, where all of it can be read so. */
const readSeparately = (
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
