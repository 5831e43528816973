import type { StepInput } from "../catalogue/step.ts";
import { mayMention } from "./anaphora.ts";
import { isListed } from "./bullets.ts";
import { withoutContradictions } from "./contradictions.ts";
import { entriesOf } from "./entries.ts";
import { type Following, followingOf } from "./following.ts";
import { type Instruction, readInstruction, type Warn } from "./instruction.ts";
import type { Mood } from "./line.ts";
import { isAbout, isStory } from "./lines.ts";
import { describedAs } from "./sentence.ts";
import { adviceFor } from "./suggest/advice.ts";
import { suggestionsFor } from "./suggest.ts";
import { readTitle } from "./titles.ts";
import { keepWhole } from "./wholeLine.ts";

/**
 * The version of the grammar. A run pins it: the same text and version give the same steps for ever.
 * Raise it whenever any sentence comes to mean something else.
 */
export const GRAMMAR_VERSION = 12;

/** A line that was not understood, or not for certain. */
export type ParseWarning = {
  /** Counted from 1. */
  readonly line: number;
  /** The person's own words. */
  readonly text: string;
  readonly message: string;
  /** Forms near to what was written that would be understood. */
  readonly suggestions: readonly string[];
};

export type ParsedEnglish = { readonly steps: StepInput[]; readonly warnings: ParseWarning[] };

const MAX_SHOWN = 500;
/** A bullet, a number or a keyword before an instruction. */
const LEAD = /^(?:[-*•]|\d{1,3}[.)]|given|when|then|and|but)\s+/i;

const NOTHING_FOLLOWS =
  "What follows is no list of fields and texts: write | Email | a@example.com |.";

/** Long texts that were read last: who asks again for what they come to need not wait. */
const known = new Map<string, ParsedEnglish>();
const MAX_KNOWN = 4;

/**
 * Translates plain English into steps. Deterministic, linear in the text, and never a guess: a sentence
 * that is not understood for certain gives no step but a warning. Never throws.
 */
export const parseEnglish = (text: string): ParsedEnglish => {
  const read = known.get(text);
  if (read) return { steps: [...read.steps], warnings: [...read.warnings] };
  return drive(readConsistent(text));
};

const drive = (reading: Generator<undefined, ParsedEnglish>): ParsedEnglish => {
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
  }
};

function* readConsistent(text: string): Generator<undefined, ParsedEnglish> {
  const parsed = yield* readEnglish(text);
  return withoutContradictions(parsed, text, (sentence) => drive(readEnglish(sentence)).steps);
}

/**
 * The same, sentence by sentence: whoever drives it can let others have their turn in between. The last few
 * texts that were read so are known to `parseEnglish`.
 */
export function* parseInSlices(text: string): Generator<undefined, ParsedEnglish> {
  const read = yield* readConsistent(text);
  known.delete(text);
  known.set(text, read);
  for (const oldest of [...known.keys()].slice(0, -MAX_KNOWN)) known.delete(oldest);
  return { steps: [...read.steps], warnings: [...read.warnings] };
}

const CLAIMS =
  /^(.{3,200}?)(?:,? and|\.) (?:then )?(?:verify|check|confirm|ensure|make sure|assert|see)(?: that)?(?: the following)?(?: :|:)?$/i;

const ENDS = "ykmetg";

/** What is done before the claims that a list goes on with; null when the line ends otherwise. */
const beforeClaims = (text: string): string | null => {
  const isColon = text.endsWith(":");
  // What all of these words end with: most lines end otherwise.
  if (!ENDS.includes(text.charAt(text.length - (isColon ? 2 : 1)).toLowerCase())) return null;
  if (
    text.length > 220 ||
    !/(?:verify|check|confirm|ensure|sure|assert|see|that|following):?$/i.test(text)
  ) {
    return null;
  }
  return CLAIMS.exec(text)?.[1] ?? null;
};

/** What an instruction came to. */
type Read = {
  readonly mood: Mood | null;
  readonly isExpected: boolean;
  readonly isFirst: boolean;
  /** What the line before came to, where that matters. */
  readonly last: StepInput | null;
  readonly steps: readonly StepInput[];
  readonly warned: readonly Parameters<Warn>[];
};

const MAX_REMEMBERED = 300;
/** Words of which what was done just before may be the object. */
const LEANING =
  /\b(?:its?|one|again|types?|enters?|inputs?|writes?|put|insert|paste|selects?|chooses?|picks?)\b/i;

/** Reads an instruction; what the line says of several of its words at once reaches its steps. */
function* readWhole(
  instruction: Instruction,
  steps: StepInput[],
  warn: Warn,
): Generator<undefined, void> {
  const from = steps.length;
  yield* readInstruction(instruction, steps, warn);
  keepWhole(instruction.text, steps, from, (message) => warn(message, instruction.text));
}

/** Reads instructions, each that is said again but once: the same words in the same place mean the same. */
const instructionReader = (steps: StepInput[]) => {
  const memory = new Map<string, Read>();
  let reached = 0;
  return (said: Omit<Instruction, "last">, warn: Warn): Iterable<undefined> => {
    // What the line before came to is what was added since.
    const before = steps.length > reached ? steps.at(-1) : undefined;
    const last = before && before.target !== "" && LEANING.test(said.text) ? before : null;
    const { text, mood, isExpected } = said;
    const instruction: Instruction = { text, mood, isExpected, last };
    reached = steps.length;
    if (text.length > MAX_REMEMBERED || mayMention(text))
      return readWhole(instruction, steps, warn);
    const isFirst = steps.length === 0;
    const known = memory.get(text);
    const isSame = known?.mood === mood && known.isExpected === isExpected;
    if (isSame && known.isFirst === isFirst && isAlike(known.last, last)) {
      for (const step of known.steps) steps.push(describedAs(step, step.description));
      for (const args of known.warned) warn(...args);
      return NOTHING_LEFT;
    }
    const from = steps.length;
    const warned: Parameters<Warn>[] = [];
    const reading = readWhole(instruction, steps, (...args) => {
      warned.push(args);
      warn(...args);
    });
    // So few words are read at once.
    while (!reading.next().done);
    memory.set(text, { mood, isExpected, isFirst, last, steps: steps.slice(from), warned });
    return NOTHING_LEFT;
  };
};

/** Whether two steps leave the same for what comes behind them. */
const isAlike = (one: StepInput | null, other: StepInput | null): boolean =>
  one === other ||
  (one?.action === other?.action && one?.target === other?.target && one?.value === other?.value);

const NOTHING_LEFT: readonly undefined[] = [];

/** What a person wrote stays the description. */
const restoreWords = (steps: StepInput[], from: number, words: string): void => {
  for (let at = from; at < steps.length; at++) {
    const step = steps[at];
    if (step) steps[at] = describedAs(step, words);
  }
};

function* readEnglish(text: string): Generator<undefined, ParsedEnglish> {
  const steps: StepInput[] = [];
  const warnings: ParseWarning[] = [];
  const readOnce = instructionReader(steps);
  let mood: Mood | null = null;
  let scenarios = 0;
  /** The mood before what is expected was said in one line; undefined when it was not the line before. */
  let beforeExpected: Mood | null | undefined;
  let isActual = false;
  let isExpecting = false;
  let isFeature = false;
  let following: Following | null = null;
  let about: readonly [number, string] | null = null;
  const warnAt = (line: number, message: string, words: string, quoted: string | null = null) => {
    const shown = words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words;
    const advice = adviceFor(words.replace(LEAD, ""));
    const suggestions = [...(quoted ? [quoted] : []), ...suggestionsFor(words)].slice(0, 3);
    warnings.push({ line, text: shown, ...(advice ?? { message, suggestions }) });
  };
  for (const { index, raw, line, pair } of entriesOf(text)) {
    yield;
    const warn: Warn = (message, words = raw.trim(), quoted = null) =>
      warnAt(index + 1, message, words, quoted);
    if (line === null) {
      warn("This line is too long to be read.");
      continue;
    }
    if (following && line.kind !== "nothing") {
      const said = following.next(line, raw);
      if (said !== null) {
        if (said !== "") yield* readOnce({ text: said, mood, isExpected: false }, warn);
        continue;
      }
      if (!following.isUsed() && !isListed(raw))
        warnAt(following.line, NOTHING_FOLLOWS, following.text);
      following = null;
    }
    if (line.kind === "section") {
      mood = line.mood;
      isActual = line.isActual;
      isExpecting = line.mood === "then";
      isFeature = false;
      continue;
    }
    if (line.kind === "feature" || line.kind === "scenario") isFeature = line.kind === "feature";
    if (isFeature && line.kind === "instruction" && isStory(raw)) continue;
    if (steps.length === 0 && line.kind === "instruction" && isAbout(raw)) {
      about ??= [index + 1, raw.trim()];
      continue;
    }
    if (isActual && line.kind === "instruction") {
      warn("This tells what happened, which is no part of the test: say what should happen.");
      continue;
    }
    switch (line.kind) {
      case "nothing":
      case "feature":
        break;
      case "unclear":
        warn(line.message);
        break;
      case "scenario":
        scenarios++;
        mood = null;
        if (scenarios > 1)
          warn("One text is one test: put the next scenario in a test of its own.");
        break;
      case "instruction": {
        isFeature = false;
        // What is expected of one entry of a list says nothing of the next.
        if (beforeExpected !== undefined && line.isExpected !== true && isListed(raw)) {
          mood = beforeExpected;
        }
        const outer = beforeExpected ?? mood;
        beforeExpected = line.isExpected === true ? outer : undefined;
        const before = beforeClaims(line.text);
        if (before !== null) {
          // `Go to /cart and verify`: what is claimed follows.
          isExpecting = true;
          yield* readOnce({ text: before, mood, isExpected: false }, warn);
          mood = "then";
          break;
        }
        if (pair !== null && mood !== "then" && mood !== "given" && !isExpecting) {
          const from = steps.length;
          yield* readOnce({ text: pair, mood, isExpected: false }, warn);
          restoreWords(steps, from, raw.trim());
          break;
        }
        mood = line.mood ?? mood;
        following = followingOf(line.text, index);
        if (following) break;
        const isExpected = line.isExpected === true || isExpecting;
        if (line.isTitle) {
          yield* readTitle(readOnce, { text: line.text, mood, isExpected }, steps, warn);
          break;
        }
        yield* readOnce({ text: line.text, mood, isExpected }, warn);
        break;
      }
      case "row":
        for (const { text, mood } of line.cells) {
          yield* readOnce({ text, mood, isExpected: mood === "then" }, warn);
        }
        break;
    }
  }
  if (following && !following.isUsed()) warnAt(following.line, NOTHING_FOLLOWS, following.text);
  // What only tells of a test is no test.
  if (about && steps.length === 0 && warnings.length === 0) {
    warnAt(about[0], "There is no instruction in this text.", about[1]);
  }
  return { steps, warnings };
}
