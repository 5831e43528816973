import { parseTarget } from "../../catalogue/target.ts";
import { linksAt } from "../engine/chain.ts";
import { createChart } from "../engine/chart.ts";
import { clausesAt, ellipses, laterClauses, shownAt } from "../engine/clauses.ts";
import type { Grammar } from "../engine/compiled.ts";
import { type Context, contextOf, type State, traceOf } from "../engine/context.ts";
import type { Draft, Mood } from "../engine/types.ts";
import type { Token } from "../words.ts";
import { CHANGING, type Guess, guessesOf, isCue } from "./frames.ts";

/** Steps that a line comes near to, and its words that they leave out. */
export type Repaired = { readonly steps: readonly Draft[]; readonly left: string };

/** The readings that are followed at one position. */
const WIDTH = 4;
const LONGEST = 90;
/** The most words of a line that a suggestion leaves out. */
const MAX_LEFT = 3;
const LEFT = "left out";
const GUESSED = 0.6;
/** Marks a state behind a word that is left out. */
const SKIPPED = -1;
const DOUBTED = 1;
const CROSSED = 0.4;

/** Words that say nothing of what is done. */
const FILLING =
  /^(?:the|a|an|please|i|we|you|it|user|that|then|and|also|now|successfully|correctly|properly|there|still|so|just|can|u|to|of|on|its|be|is|are|one|by|which|this|as|well|ok|okay|hey|hi|kindly|again|first|next|finally|lastly|afterwards|steps?|whether|for|verify|check|should|must|has|have|with|in|at|when|once|after)$/;

const keyOf = ({ steps, tail, scope }: State): string =>
  [...steps, ...tail]
    .map(({ action, target, value }) => `${action}|${target}|${value}`)
    .join("\n") + (scope?.place ?? "");

const put = (states: readonly State[][], state: State): void => {
  const known = states[state.at];
  if (!known) return;
  const key = keyOf(state);
  const same = known.findIndex((each) => keyOf(each) === key);
  if (same >= 0) {
    if ((known[same]?.cost ?? 0) <= state.cost) return;
    known.splice(same, 1);
  }
  known.push(state);
  known.sort((one, other) => one.cost - other.cost);
  if (known.length > WIDTH) known.pop();
};

/** The steps that most of a line's words come to, best first. */
export const repair = (
  grammar: Grammar,
  tokens: readonly Token[],
  source: string,
  mood: Mood | null,
): readonly Repaired[] => {
  if (tokens.length > LONGEST) return [];
  const context = contextOf(grammar, createChart(grammar, tokens, source, mood));
  const states: State[][] = Array.from({ length: tokens.length + 1 }, () => []);
  const start: State = {
    at: 0,
    steps: [],
    tail: [],
    cost: 0,
    doubt: null,
    edge: null,
    scope: null,
    mode: "order",
    clauses: 0,
    trace: [],
  };
  states[0]?.push(start);
  const memo: Memo = new Map();
  for (let at = 0; at < tokens.length; at++) {
    for (const state of states[at] ?? []) {
      for (const next of nextOf(context, state, memo)) put(states, next);
    }
  }
  return (states[tokens.length] ?? []).flatMap((state): readonly Repaired[] => {
    const steps = [...state.steps, ...state.tail];
    const spans = state.trace.filter(({ rule }) => rule === LEFT);
    if (spans.length > MAX_LEFT) return [];
    const left = spans.map(({ from, to }) =>
      source.slice(tokens[from]?.start, tokens[to - 1]?.end),
    );
    return steps.length === 0 ? [] : [{ steps, left: left.join(" … ") }];
  });
};

/** The guesses at spans, which several states share. */
type Memo = Map<number, readonly Guess[]>;

const nextOf = (context: Context, state: State, memo: Memo): readonly State[] => {
  const found: State[] = [...laterClauses(context, state)];
  const rest = skipped(context, state);
  if (rest) found.push(rest);
  for (const from of [state, ...linksAt(context, state)]) {
    const isBegun = from.at === 0 || from.at > state.at || from.clauses === SKIPPED;
    if (!isBegun) continue;
    const begun = { ...from, clauses: 0 };
    const read = [...clausesAt(context, begun), ...ellipses(context, begun)];
    if (from.edge === null) read.push(...shownAt(context, begun));
    for (const next of read.filter(({ steps, doubt }) => !isOverfull(steps, doubt !== null))) {
      found.push(next.doubt === null ? next : { ...next, doubt: null, cost: next.cost + DOUBTED });
    }
    found.push(...guessed(context, begun, memo));
  }
  return found;
};

/** Whether a name holds more than a name: `"A" and click "B"`. */
const isOverfull = (steps: readonly Draft[], isDoubtful: boolean): boolean =>
  steps.some(({ target }) => {
    const { find } = parseTarget(target);
    if (find.by !== "name") return false;
    return /["“”]/.test(find.name) || (isDoubtful && /\b(?:and|then|,)\b/.test(find.name));
  });

/** The state behind a word that is left out; null if the sentence would mean something else without it. */
const skipped = (context: Context, state: State): State | null => {
  const { at } = state;
  const token = context.chart.tokens[at];
  const isMark = token?.kind === "mark" || /^(?:->|→|=>|[-–—/|+&>])$/.test(token?.text ?? "");
  const isFilling = token?.kind === "word" && FILLING.test(token.lower);
  if (!isMark && !isFilling && (token?.kind !== "word" || isTelling(token))) return null;
  const cost = isMark ? 0.05 : isFilling ? 0.25 : 0.8;
  return {
    ...state,
    at: at + 1,
    clauses: SKIPPED,
    cost: state.cost + cost,
    trace: isMark || isFilling ? state.trace : [...state.trace, traceOf(LEFT, at, at + 1)],
  };
};

/** Whether a word denies, counts, or names what is done. */
const isTelling = ({ text, lower }: Token): boolean =>
  CHANGING.test(lower) || /[\d@/]/.test(text) || isCue(lower);

/** The states behind the spans up to the next marks and conjunctions. */
const guessed = (context: Context, state: State, memo: Memo): readonly State[] => {
  const { chart, ids } = context;
  const found: State[] = [];
  let ends = 0;
  for (let to = state.at + 1; to <= chart.tokens.length && ends < 4; to++) {
    const isEnd =
      to === chart.tokens.length ||
      chart.tokens[to]?.kind === "mark" ||
      chart.ends(ids.link_and, to).length + chart.ends(ids.sep, to).length > 0;
    if (!isEnd) continue;
    ends++;
    const key = state.at * 256 + to;
    const guesses = memo.get(key) ?? guessesOf(context, state.at, to);
    memo.set(key, guesses);
    for (const { steps, cost, left } of guesses) {
      const said = left.filter((at) => !FILLING.test(chart.tokens[at]?.lower ?? ""));
      const words = said.filter((at) => chart.tokens[at]?.kind !== "mark");
      if (words.some((at) => CHANGING.test(chart.tokens[at]?.lower ?? ""))) continue;
      found.push({
        ...state,
        at: to,
        steps: [...state.steps, ...steps],
        cost: state.cost + GUESSED + cost + (ends - 1) * CROSSED + words.length * 0.35,
        edge: null,
        trace: [...state.trace, ...words.map((at) => traceOf(LEFT, at, at + 1))],
      });
    }
  }
  return found;
};
