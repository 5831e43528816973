import type { Chart } from "./chart.ts";
import { clausesAt, ellipses, laterClauses, shownAt } from "./clauses.ts";
import type { Grammar } from "./compiled.ts";
import { type Context, contextOf, MAX_STATES, type State } from "./context.ts";
import type { Draft, Trace } from "./types.ts";

export type Reading = {
  readonly steps: readonly Draft[];
  readonly cost: number;
  readonly doubt: string | null;
  readonly trace: readonly Trace[];
};

/** The most clauses of a sentence. */
const MAX_CLAUSES = 60;

/** Finds the readings of a whole sentence. */
export const readChain = (grammar: Grammar, chart: Chart): readonly Reading[] => {
  const context = contextOf(grammar, chart);
  const count = chart.tokens.length;
  const states: States[] = Array.from({ length: count + 1 }, () => new Map());
  const readings: Reading[] = [];
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
  for (const next of clausesAt(context, start)) put(states, next);
  for (let at = 1; at <= count; at++) {
    for (const state of states[at]?.values() ?? []) {
      if (isEnd(context, state)) {
        readings.push({
          steps: [...state.steps, ...state.tail],
          cost: state.cost,
          doubt: state.doubt,
          trace: state.trace,
        });
      }
      for (const linked of linksAt(context, state)) {
        for (const next of clausesAt(context, linked)) put(states, next);
        if (linked.edge === null) for (const next of shownAt(context, linked)) put(states, next);
        for (const next of ellipses(context, linked)) put(states, next);
      }
      for (const next of laterClauses(context, state)) put(states, next);
    }
  }
  return readings;
};

/** The readings up to one position, of equal ones the cheapest. */
type States = Map<string, State>;

const put = (states: readonly States[], state: State): void => {
  const known = states[state.at];
  if (!known || state.clauses > MAX_CLAUSES) return;
  const key = keyOf(state);
  const before = known.get(key);
  if (before ? before.cost > state.cost : known.size < MAX_STATES) known.set(key, state);
};

const stepsKey = (steps: readonly Draft[]): string =>
  steps
    .map(({ action, target, value, optional }) => `${action}\0${target}\0${value}\0${optional}`)
    .join("\n");

const keyOf = ({ steps, tail, doubt, edge, scope, mode }: State): string =>
  `${stepsKey(steps)}|${stepsKey(tail)}|${doubt ?? ""}|${edge?.again.join(",") ?? ""}|${scope?.place ?? ""}|${mode}`;

/** Whether nothing but marks stands behind a position. */
const isEnd = (context: Context, { at, edge }: State): boolean => {
  const { tokens } = context.chart;
  // `Click Save!`: the mark may belong to the name.
  const isNamed = edge?.isOpen === true && tokens[at - 1]?.kind === "word";
  for (let next = at; next < tokens.length; next++) {
    const token = tokens[next];
    if (token?.kind !== "mark" || !(isNamed ? /^[.;,?]$/ : /^[.;,?!]$/).test(token.text)) {
      return false;
    }
  }
  return true;
};

/** The states behind the marks and conjunctions that may stand between two clauses. */
export const linksAt = (context: Context, state: State): readonly State[] => {
  if (state.isOutcome) return [];
  const ends = new Set<number>();
  const arrows = new Set<number>();
  const visit = (at: number, depth: number): void => {
    if (depth > 3) return;
    for (const id of [context.ids.link_and, context.ids.sep]) {
      for (const end of context.chart.ends(id, at)) {
        ends.add(end);
        if (/^(?:->|→|>|=>|⇒)$/.test(context.chart.tokens[at]?.text ?? "")) arrows.add(end);
        visit(end, depth + 1);
      }
    }
  };
  visit(state.at, 0);
  const gerund = state.mode === "gerund";
  return [...ends].flatMap((at): State[] => {
    // `click "Bell" -> "3 new notifications"`: an arrow leads to a clause of its own.
    const next = arrows.has(at) ? { ...state, at, edge: null } : { ...state, at };
    // `After entering "a" and clicking "B", …`: the list of gerunds ends with the first order or claim.
    return gerund && state.tail.length === 0 ? [next, { ...next, mode: "order" }] : [next];
  });
};
