import { parseTarget } from "../../catalogue/target.ts";
import { closed } from "./closings.ts";
import type { Context, Opening, State } from "./context.ts";
import { openingsAt } from "./openings.ts";
import { SUBJECT } from "./slots.ts";
import { negated, waited, withSubject } from "./templates.ts";
import { partsOf, type Trace } from "./types.ts";

/** The cost of an ellipsis: a list that one rule reads is preferred. */
const ELLIPSIS = 0.06;

/** The readings with a clause, and what belongs to it, behind a position. */
export const clausesAt = (context: Context, state: State): readonly State[] => {
  const found: State[] = [];
  for (const opening of openingsAt(context, state.at)) {
    const scope = opening.scope ?? state.scope;
    const inScope = { ...state, scope };
    const mode = opening.isTold ? "told" : state.mode;
    for (const edge of context.chart.derive(
      opening.isTold ? "Command" : "Clause",
      opening.at,
      mode,
    )) {
      const isAfterClaim = state.steps.at(-1)?.action.startsWith("assert_") === true;
      if (isAfterClaim && isPassive(edge.trace)) continue;
      found.push(...closed(context, inScope, opening, edge));
    }
    found.push(...introduced(context, inScope, opening));
  }
  return found;
};

const isPassive = ({ rule, parts }: Trace): boolean =>
  rule.includes("<passive>") || partsOf(parts).some(({ edge }) => edge && isPassive(edge.trace));

const isDenied = ({ rule, parts }: Trace): boolean =>
  rule.startsWith("Not") || partsOf(parts).some(({ edge }) => edge && isDenied(edge.trace));

/** `After clicking "Save", …`, `Clicking "Save" shows …`, `When the user clicks "Save", …`, `Before clicking …`. */
const introduced = (context: Context, state: State, opening: Opening): readonly State[] => {
  const found: State[] = [];
  const { at } = opening;
  for (const edge of context.chart.derive("Command", at, "gerund")) {
    for (const done of closed(context, state, opening, edge)) {
      for (const effect of context.chart.derive("Effect", done.at, "third")) {
        found.push(...closed(context, done, { ...opening, at: done.at }, effect));
      }
    }
  }
  for (const from of context.chart.ends(context.ids.after, at)) {
    for (const edge of context.chart.derive("Command", from, "gerund")) {
      found.push(...closed(context, { ...state, mode: "gerund" }, opening, edge));
    }
  }
  for (const from of context.chart.ends(context.ids.verify_that, at)) {
    if (from < context.chart.tokens.length)
      found.push(...introduced(context, state, { ...opening, at: from }));
  }
  for (const from of context.chart.ends(context.ids.when, at)) {
    for (const inner of openingsAt(context, from)) {
      if (inner.at === from || inner.scope) continue;
      for (const edge of context.chart.derive("Command", inner.at, "order")) {
        found.push(...closed(context, state, opening, edge));
      }
    }
    for (const edge of context.chart.derive("Claim", from, "third")) {
      const steps = waited(edge.steps);
      if (steps) found.push(...closed(context, state, opening, { ...edge, steps, again: [] }));
    }
  }
  return found;
};

/** `… after clicking "Send"`, `… when the user clicks "Send"`, `… before clicking "Next"`. */
export const laterClauses = (context: Context, state: State): readonly State[] => {
  const found: State[] = [];
  if (state.tail.length > 0) return found;
  const comma = context.chart.tokens[state.at]?.text === "," ? state.at + 1 : state.at;
  const opening: Opening = { at: comma, scope: null, isOptional: false, cost: 0, trace: [] };
  const isClaim = state.steps.every(({ action }) => action.startsWith("assert_"));
  // Of several clauses only the last one is turned, unless all of them are claims.
  const from = isClaim ? 0 : state.steps.length - (state.edge?.steps.length ?? state.steps.length);
  const turned: State = {
    ...state,
    tail: state.steps.slice(from),
    steps: state.steps.slice(0, from),
    edge: null,
  };
  for (const from of context.chart.ends(context.ids.after, comma)) {
    for (const edge of context.chart.derive("Command", from, "gerund")) {
      found.push(...closed(context, { ...turned, mode: "gerund" }, opening, edge));
    }
  }
  for (const from of isClaim ? context.chart.ends(context.ids.when, comma) : []) {
    for (const inner of openingsAt(context, from)) {
      if (inner.at === from || inner.scope) continue;
      for (const edge of context.chart.derive("Command", inner.at, "order")) {
        found.push(...closed(context, turned, opening, edge));
      }
    }
    for (const edge of context.chart.derive("PassiveCommand", from, "order")) {
      found.push(...closed(context, turned, opening, edge));
    }
  }
  for (const from of context.chart.ends(context.ids.before, comma)) {
    for (const edge of context.chart.derive("Command", from, "gerund")) {
      found.push(...closed(context, state, opening, edge));
    }
  }
  return found;
};

const isDropdown = (target: string): boolean => {
  const { find } = parseTarget(target);
  return find.by === "kind" && find.kind === "dropdown";
};

/** `… -> "Welcome back"`: a quoted text behind an arrow is the outcome. */
export const shownAt = (context: Context, state: State): readonly State[] => {
  const opening: Opening = { at: state.at, scope: null, isOptional: false, cost: 0, trace: [] };
  return context.chart
    .derive("Outcome", state.at, "order")
    .flatMap((edge) => closed(context, { ...state, scope: null, isOutcome: true }, opening, edge));
};

/** `Fill A with "a" and B with "b"`, `"A" is visible and enabled`, `… but "B" is not`. */
export const ellipses = (context: Context, state: State): readonly State[] => {
  const { edge } = state;
  if (!edge) return [];
  const found: State[] = [];
  const subjects = [...new Set(edge.steps.map(({ target }) => target))].filter(
    (each) => each !== "",
  );
  const opening: Opening = { at: state.at, scope: null, isOptional: false, cost: 0, trace: [] };
  const isCount = edge.steps.at(-1)?.action === "assert_count";
  for (const id of edge.again) {
    const form = context.grammar.forms[id];
    // `is not visible and enabled`: it is not clear whether the second state is denied, too.
    if (!form || (form.rule.form === "(State)" && isDenied(edge.trace))) continue;
    for (const at of [state.at, ...context.chart.ends(context.ids.please, state.at)]) {
      for (const next of context.chart.match(form, at, state.mode)) {
        const steps =
          form.rule.steps === "negated" || next.steps.some(({ action }) => action === "negated")
            ? (negated(edge.steps) ?? []).map((step) => ({
                ...step,
                target: next.steps[0]?.target ?? "",
              }))
            : withSubject(next.steps, subjects);
        const isChoice = next.steps.some(
          ({ action, target }) => action === "select" && target.includes(SUBJECT),
        );
        if (isChoice && !subjects.every(isDropdown)) continue;
        if (steps.length === 0 || steps.some(({ target }) => target.includes(SUBJECT))) continue;
        // `There are two buttons, "A" and "B"`: the names are what is counted.
        if (isCount && steps.every(({ action }) => action === "assert_visible")) continue;
        const cost = next.cost + (isChoice ? -ELLIPSIS : ELLIPSIS);
        found.push(...closed(context, state, opening, { ...next, steps, cost }));
      }
    }
  }
  return found;
};
