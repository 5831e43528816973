import { findKind } from "../../catalogue/kinds.ts";
import {
  type Context,
  MAX_STATES,
  type Opening,
  type Scope,
  type State,
  traceOf,
} from "./context.ts";
import { placesAt } from "./openings.ts";
import { placeIn, SUBJECT } from "./slots.ts";
import { withSubject } from "./templates.ts";
import type { Draft, Edge, Trace } from "./types.ts";

/** Puts the steps of a clause into a place; null if one of them cannot be there. */
const placed = (steps: readonly Draft[], scope: Scope | null): readonly Draft[] | null => {
  if (scope === null) return steps;
  const all: Draft[] = [];
  for (const step of steps) {
    if (step.target === "") {
      if (/^(?:press|wait|accept_dialog|dismiss_dialog)$/.test(step.action)) {
        all.push(step);
        continue;
      }
      return null;
    }
    const isInside = step.target.endsWith(` ${scope.place}`);
    const target = isInside ? step.target : placeIn(step.target, scope.place, scope.relation);
    if (target === null) return null;
    all.push({ ...step, target });
  }
  return all;
};

/** A clause with its modifiers: repetition, place, `(optional)`. */
export const closed = (
  context: Context,
  state: State,
  opening: Opening,
  edge: Edge,
): readonly State[] => {
  const subjects = [...new Set((state.edge?.steps ?? []).map(({ target }) => target))];
  const named = withSubject(
    edge.steps,
    subjects.filter((each) => each !== ""),
  );
  if (named.length === 0 || named.some(({ target }) => target.includes(SUBJECT))) return [];
  const start = placed(named, state.scope);
  if (start === null) return [];
  const states: State[] = [];
  for (const end of closingsAt(context, edge, start)) {
    const isOptional = opening.isOptional || end.isOptional;
    const span = [state.at, end.at] as const;
    const steps = end.steps.map((step) => ({
      ...step,
      optional: isOptional || step.optional,
      span,
    }));
    states.push({
      ...state,
      at: end.at,
      steps: [...state.steps, ...steps],
      cost: state.cost + opening.cost + edge.cost + end.cost,
      doubt: state.doubt ?? edge.doubt,
      edge: { ...edge, steps },
      scope: opening.scope && isNarrow(opening.scope) ? null : state.scope,
      clauses: state.clauses + 1,
      trace: [...state.trace, ...opening.trace, edge.trace, ...end.trace],
    });
  }
  return states;
};

/** A menu or list only holds for its own clause: `From the "Actions" menu, select "Move" and click "Apply"`. */
const isNarrow = ({ place }: Scope): boolean =>
  /\b(?:menu|list|dropdown|row)(?: "[^"]*")?$/i.test(place);

type Closing = {
  readonly at: number;
  readonly steps: readonly Draft[];
  readonly isOptional: boolean;
  readonly cost: number;
  readonly trace: readonly Trace[];
};

/** `Tick "A" and "B" in the "L" section`: the place belongs to all of them. A click may bring the place of the next one. */
const SHARED_PLACE = -0.1;
const sharedCost = (steps: readonly Draft[]): number => {
  const actions = new Set(steps.map(({ action }) => action));
  const isClick = [...actions].some((action) => action.endsWith("click"));
  return steps.length > 1 && actions.size === 1 && !isClick ? SHARED_PLACE : 0;
};

/** The positions behind the modifiers that follow a clause. */
const closingsAt = (context: Context, edge: Edge, steps: readonly Draft[]): readonly Closing[] => {
  const all: Closing[] = [{ at: edge.end, steps, isOptional: false, cost: 0, trace: [] }];
  const add = (closing: Closing): void => {
    if (all.length < MAX_STATES) all.push(closing);
  };
  for (const closing of all) {
    const { at } = closing;
    for (const end of edge.isOpen && isWord(context, at - 1) && !isPronoun(context, at - 1)
      ? []
      : context.chart.ends(context.ids.trailing, at)) {
      add({ ...closing, at: end, trace: [...closing.trace, traceOf("courtesy", at, end)] });
    }
    const repeat = (end: number, times: number) =>
      add({
        ...closing,
        at: end,
        steps: Array.from({ length: times }, () => closing.steps).flat(),
        trace: [...closing.trace, traceOf(`${times} times`, at, end)],
      });
    if (isRepeatable(steps) && closing.steps === steps) {
      for (const end of context.chart.ends(context.ids.twice, at)) repeat(end, 2);
      for (const end of context.chart.ends(context.ids.thrice, at)) repeat(end, 3);
      const times = context.chart.slot("times", at, at + 1);
      if (times && times.doubt === null) {
        for (const end of context.chart.ends(context.ids.times, at + 1))
          repeat(end, Number(times.text));
      }
    }
    for (const end of purposesAt(context, at)) {
      add({ ...closing, at: end, trace: [...closing.trace, traceOf("purpose", at, end)] });
    }
    const open = context.chart.tokens[at]?.text === "(" ? at + 1 : at;
    for (const end of context.chart.ends(context.ids.optionally, open)) {
      const close = open > at ? end + 1 : end;
      if (open === at || context.chart.tokens[end]?.text === ")")
        add({ ...closing, at: close, isOptional: true });
    }
    const isDenied = steps.some(({ action }) => action === "assert_hidden");
    for (const place of placesAt(context, at)) {
      // `is gone from the list`: whether it was in the list is not claimed.
      if (isDenied && context.chart.tokens[at]?.lower === "from") continue;
      // `Select "Delete" from the "Milk" row`: it is not said which list it is chosen from.
      if (isFromPart(context, at, place.scope, steps)) continue;
      const inside = placed(closing.steps, place.scope);
      if (inside)
        add({
          ...closing,
          at: place.end,
          steps: inside,
          cost: closing.cost + sharedCost(inside),
          trace: [...closing.trace, place.trace],
        });
    }
  }
  return all;
};

const isFromPart = (
  context: Context,
  at: number,
  scope: Scope | null,
  steps: readonly Draft[],
): boolean =>
  context.chart.tokens[at]?.lower === "from" &&
  /\b(?:row|section|table)$/i.test(scope?.place ?? "") &&
  steps.every(({ action }) => action === "click");

/** `to apply your changes`: a purpose, up to the next mark. It has no quoted text, no negation and no conjunction. */
const purposesAt = (context: Context, at: number): readonly number[] => {
  const found: number[] = [];
  if (/^(?:next|adjacent|back|up)$/.test(context.chart.tokens[at - 1]?.lower ?? "")) return found;
  for (const from of context.chart.ends(context.ids.to_verb, at)) {
    const verb = context.chart.tokens[from];
    if (context.chart.ends(context.ids.purpose, from).length === 0 || verb?.text !== verb?.lower)
      continue;
    for (let end = from + 1; end <= context.chart.tokens.length && end < from + 9; end++) {
      const token = context.chart.tokens[end - 1];
      if (token?.kind !== "word" || /^(?:not|and|or|no|if|until|then|but)$/.test(token.lower))
        break;
      found.push(end);
    }
  }
  return found;
};

/** Whether a small word that names no kind stands at a position: what follows may belong to the same name. */
const isWord = (context: Context, at: number): boolean => {
  const token = context.chart.tokens[at];
  return (
    token?.kind === "word" &&
    /^[a-z]+$/.test(token.text) &&
    findKind(token.text) === null &&
    !LOOSE.test(context.chart.tokens[at + 1]?.text ?? "")
  );
};
const isPronoun = ({ chart }: Context, at: number): boolean =>
  /^(?:it|them)$/.test(chart.tokens[at]?.text ?? "");
const LOOSE = /^(?:in|on|to|by|of|from|within|using|with)$/;

const isRepeatable = (steps: readonly Draft[]): boolean =>
  steps.every(({ action }) => !action.startsWith("assert_") && action !== "navigate");
