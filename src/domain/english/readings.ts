import type { StepInput } from "../catalogue/step.ts";
import { composed } from "./compose.ts";
import { withinIt } from "./contained.ts";
import { ANY_CUE } from "./cueBits.ts";
import { pathsClicked } from "./markedPaths.ts";
import { withoutCourtesy } from "./polite.ts";
import { type Reader, readerOf } from "./reader.ts";
import { partsOf } from "./remarks.ts";
import { restated } from "./restate.ts";
import { rewritten } from "./rewrite.ts";
import { whenSeen } from "./rewriteOrder.ts";
import type { Context } from "./search.ts";
import { describedAs, type ReadSentence, readSentence } from "./sentence.ts";
import { type Token, tokenize } from "./words.ts";

/** Reads what stands between semicolons, each by itself; null when there are none, or one is not understood so. */
const readParts = (
  tokens: readonly Token[],
  reader: Reader,
  context: Context,
): ReadSentence | null => {
  if (!tokens.some(({ kind, text }) => kind === "mark" && text === ";")) return null;
  const parts = partsOf(tokens);
  if (!parts) return null;
  const steps: StepInput[] = [];
  for (const part of parts) {
    const read = readAll(part, readerOf(reader.source), {
      ...context,
      isFirst: context.isFirst && steps.length === 0,
      last: steps.at(-1) ?? context.last ?? null,
    });
    if (!read.ok) return null;
    steps.push(...read.steps);
  }
  return { ok: true, steps };
};

/** Reads a sentence, or all those that it means; what a person wrote stays the description. */
export const readAll = (
  tokens: readonly Token[],
  reader: Reader,
  context: Context,
): ReadSentence => {
  const path = pathsClicked(tokens, reader.source);
  if (path !== null) return readPath(tokens, path, reader.source, context);
  const read = readThere(tokens, reader, context);
  const meant = read.ok || !context.last ? null : withinIt(tokens, reader.source, context.last);
  if (meant === null) return read;
  const words = reader.source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const again = readText(meant, context);
  return again ? { ok: true, steps: again.map((step) => describedAs(step, words)) } : read;
};

/** Reads a sentence in which a path through menus stands in clicks of each; what nobody understands so is asked about. */
const readPath = (
  tokens: readonly Token[],
  path: string,
  source: string,
  context: Context,
): ReadSentence => {
  const words = source.slice(tokens[0]?.start, tokens.at(-1)?.end);
  const steps = readText(path, context);
  return steps
    ? { ok: true, steps: steps.map((step) => describedAs(step, words)) }
    : { ok: false, message: "Say of each menu that it is clicked.", suggestion: null };
};

const readThere = (tokens: readonly Token[], reader: Reader, context: Context): ReadSentence => {
  const { source } = reader;
  const parts = readParts(tokens, reader, context);
  if (parts) return parts;
  const polite = withoutCourtesy(tokens);
  const cues = polite === tokens ? reader.cues : ANY_CUE;
  const said =
    rewritten(polite, source, cues) ?? (context.mood === "when" ? whenSeen(polite, source) : null);
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
    steps.push(...read.steps.map((step) => describedAs(step, words)));
  }
  return { ok: true, steps };
};

/** Reads a text that nobody wrote; null when it is not understood in whole. */
export const readText = (said: string, context: Context): readonly StepInput[] | null => {
  const { tokens, problem } = tokenize(said);
  if (problem) return null;
  const read = readAll(tokens, readerOf(said), context);
  return read.ok ? read.steps : null;
};

/** The same, also put together from its verb and the things that it names. */
export const readSaid = (said: string, context: Context): readonly StepInput[] | null => {
  const { tokens, problem } = tokenize(said);
  return problem ? null : readEither(tokens, said, context, context.mood === "then");
};

/** Reads sentences that stand for one, all of them or none. */
export const readTexts = (
  said: readonly string[],
  context: Context,
): readonly StepInput[] | null => {
  const steps: StepInput[] = [];
  for (const text of said) {
    const read = readSaid(text, { ...context, isFirst: context.isFirst && steps.length === 0 });
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

export const readEither = (
  tokens: readonly Token[],
  source: string,
  context: Context,
  isClaimed: boolean,
): readonly StepInput[] | null => {
  const read = readAll(tokens, readerOf(source), context);
  if (read.ok) return read.steps;
  return (
    readPlainly(tokens, source, context, isClaimed) ?? composed(tokens, source, context, isClaimed)
  );
};

/** The first of some ways to say a sentence that is understood in whole. */
export const readFirst = (
  ways: readonly (readonly string[])[],
  context: Context,
): readonly StepInput[] | null => {
  for (const said of ways) {
    const read = readTexts(said, context);
    if (read && read.length >= said.length) return read;
  }
  return null;
};
