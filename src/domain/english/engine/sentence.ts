import { parseTarget } from "../../catalogue/target.ts";
import { type Token, tokenize } from "../words.ts";
import { type Reading, readChain } from "./chain.ts";
import { createChart } from "./chart.ts";
import type { Grammar } from "./compiled.ts";
import type { Draft, Mood, Trace } from "./types.ts";
import { BLOCKING } from "./values.ts";

/** A sentence has at most this many tokens; a longer one is asked about. */
const MAX_TOKENS = 240;
/** How much dearer a reading may be that still contradicts the cheapest one. */
const NEAR = 0.05;

/** The result of reading one sentence: its steps, or why it is asked about. */
export type SentenceReading =
  | {
      readonly kind: "read";
      readonly steps: readonly Draft[];
      /** The clause of each step. */
      readonly words: readonly string[];
      readonly trace: readonly Trace[];
    }
  | {
      readonly kind: "asked";
      readonly message: string;
      /** Readings that contradict each other, or the doubtful one. */
      readonly readings: readonly (readonly Draft[])[];
      readonly reached: number;
    };

const asked = (
  message: string,
  reached = 0,
  readings: readonly (readonly Draft[])[] = [],
): SentenceReading => ({ kind: "asked", message, readings, reached });

/** The meaning of steps: two texts of one target are the same. */
const keyOf = (steps: readonly Draft[]): string =>
  JSON.stringify(
    steps.map(({ action, target, value, optional }) => [
      action,
      meaningOf(target),
      value,
      optional,
    ]),
    (key, value: unknown) => (key === "phrase" ? undefined : value),
  );

/** A message or text is whatever has that text. */
const meaningOf = (target: string): unknown => {
  if (target === "") return "";
  const parsed = parseTarget(target);
  const { find } = parsed;
  const isText = find.by === "kind" && find.kind === "text" && find.name !== null;
  return isText ? { ...parsed, find: { by: "name", name: find.name } } : parsed;
};

/** Cuts the tokens of a line into sentences at full stops. */
const sentencesOf = (tokens: readonly Token[]): readonly (readonly Token[])[] => {
  const sentences: Token[][] = [[]];
  for (const token of tokens) {
    sentences.at(-1)?.push(token);
    if (token.kind === "mark" && token.text === ".") sentences.push([]);
  }
  return sentences.filter((sentence) => sentence.some(({ kind }) => kind !== "mark"));
};

/** `Click Loading...`: the dots may belong to the name. */
const isTrailingOff = (tokens: readonly Token[]): boolean =>
  tokens.some(({ text, end }, at) => {
    const next = tokens[at + 1];
    const isCut = text === "…" || (text === "." && next?.text === "." && next.start === end);
    return isCut && tokens[at - 1]?.kind === "word";
  });

/** The steps of doubtful readings, best first. A name with quotes inside holds more than a name. */
const doubtfulSteps = (readings: readonly Reading[]): readonly (readonly Draft[])[] =>
  readings
    .filter(({ doubt, steps }) => doubt !== null && steps.length > 0)
    .sort((a, b) => a.cost - b.cost)
    .map(({ steps }) => steps)
    .filter((steps) => !steps.some(({ target }) => isOverfull(target)))
    .slice(0, 6);

const isOverfull = (target: string): boolean => {
  const { find } = parseTarget(target);
  return find.by === "name" && /["“”]/.test(find.name);
};

/** Chooses among readings: the cheapest certain one, if no other one near to it has other steps. */
const decide = (readings: readonly Reading[], unread: () => SentenceReading): SentenceReading => {
  const certain = readings.filter(({ doubt, steps }) => doubt === null && steps.length > 0);
  const [best] = [...certain].sort((a, b) => a.cost - b.cost);
  const [doubtful] = readings.filter(({ doubt }) => doubt !== null).sort((a, b) => a.cost - b.cost);
  if (!best || (doubtful && doubtful.cost <= best.cost + BLOCKING)) {
    return doubtful?.doubt ? asked(doubtful.doubt, 0, doubtfulSteps(readings)) : unread();
  }
  const near = certain.filter((each) => each !== best && each.cost <= best.cost + NEAR);
  const key = near.length > 0 ? keyOf(best.steps) : "";
  const rival = near.find(({ steps }) => keyOf(steps) !== key);
  if (rival) {
    return asked("It can be read in more than one way.", 0, [best.steps, rival.steps]);
  }
  return { kind: "read", steps: best.steps, words: [], trace: best.trace };
};

/** Reads the tokens of one sentence. */
const readTokens = (
  grammar: Grammar,
  tokens: readonly Token[],
  source: string,
  mood: Mood | null,
): SentenceReading => {
  if (tokens.length > MAX_TOKENS) return asked("The sentence is too long to be read: divide it.");
  const chart = createChart(grammar, tokens, source, mood);
  return decide(readChain(grammar, chart), () => {
    const at = chart.reached();
    const word = tokens[Math.min(at, tokens.length - 1)]?.text ?? "";
    return asked(at === 0 ? "Not understood." : `Not understood from "${word}" on.`, at);
  });
};

const corrected = ({ misspellings }: Grammar, token: Token): Token => {
  // A capital may begin a name, but not at the beginning of a line.
  const said = token.start === 0 ? token.lower : token.text;
  const word = token.kind === "word" ? misspellings.get(said) : undefined;
  return word === undefined ? token : { ...token, text: word, lower: word };
};

/** The tokens of a line, with its misspellings corrected. */
export const tokensOf = (
  grammar: Grammar,
  text: string,
): { readonly tokens: readonly Token[]; readonly problem: string | null } => {
  const { tokens, problem } = tokenize(text);
  return { tokens: tokens.map((token) => corrected(grammar, token)), problem };
};

/** Reads all sentences of a line: every one must be read, or the line is asked about. Yields before each of them. */
export function* readLineText(
  grammar: Grammar,
  text: string,
  mood: Mood | null,
): Generator<undefined, SentenceReading> {
  const { tokens, problem } = tokensOf(grammar, text);
  if (isTrailingOff(tokens)) return asked("It is not clear whether “…” belongs to the name.");
  if (problem !== null) return asked(`${problem} Put each text in one pair of quotes.`);
  const steps: Draft[] = [];
  const words: string[] = [];
  const trace: Trace[] = [];
  for (const sentence of sentencesOf(tokens)) {
    yield;
    const read = readTokens(grammar, sentence, text, mood);
    if (read.kind === "asked") return read;
    steps.push(...read.steps);
    words.push(...read.steps.map((step) => wordsOf(step, sentence, text)));
    trace.push(...read.trace);
  }
  return steps.length === 0 ? asked("Not understood.") : { kind: "read", steps, words, trace };
}

const wordsOf = ({ span }: Draft, tokens: readonly Token[], source: string): string =>
  source.slice(tokens[span?.[0] ?? 0]?.start, tokens[(span?.[1] ?? tokens.length) - 1]?.end);
