import { findKind } from "../../catalogue/kinds.ts";
import { parseTarget } from "../../catalogue/target.ts";
import { quote } from "../words.ts";
import type { Chart, VerbMode } from "./chart.ts";
import type { Grammar } from "./grammar.ts";
import { placeIn } from "./slots.ts";
import { negated, SUBJECT, waited, withSubject } from "./templates.ts";
import type { Draft, Edge, Trace } from "./types.ts";

/** A reading of a sentence up to a position. */
type State = {
  readonly at: number;
  /** Steps in the order of the sentence. */
  readonly steps: readonly Draft[];
  /** Steps that the sentence says first and that come last: `"Sent" appears after clicking "Send"`. */
  readonly tail: readonly Draft[];
  readonly cost: number;
  readonly doubt: string | null;
  /** The form of the clause before, for elliptical clauses. */
  readonly edge: Edge | null;
  readonly scope: Scope | null;
  readonly mode: VerbMode;
  readonly clauses: number;
  readonly trace: readonly Trace[];
};

type Scope = { readonly place: string; readonly relation: string };

/** The part of a sentence before a clause: who acts, courtesies, a place. */
type Opening = {
  readonly at: number;
  /** `Maria opens …`: the verb must say that somebody does it. */
  readonly isTold?: true;
  readonly scope: Scope | null;
  readonly isOptional: boolean;
  readonly trace: readonly Trace[];
};

export type Reading = {
  readonly steps: readonly Draft[];
  readonly cost: number;
  readonly doubt: string | null;
  readonly trace: readonly Trace[];
};

/** The cost of an ellipsis: a list that one rule reads is preferred. */
const ELLIPSIS = 0.06;
/** The most readings that are followed at one position, and the most clauses of a sentence. */
const MAX_STATES = 24;
const MAX_CLAUSES = 61;

/** Finds the readings of a whole sentence. */
export const readChain = (grammar: Grammar, chart: Chart): readonly Reading[] => {
  const ids = idsOf(grammar);
  const count = chart.tokens.length;
  const states: State[][] = Array.from({ length: count + 1 }, () => []);
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
  for (const next of clausesAt(chart, ids, start)) put(states, next);
  for (let at = 1; at <= count; at++) {
    for (const state of states[at] ?? []) {
      if (isEnd(chart, ids, at)) {
        readings.push({
          steps: [...state.steps, ...state.tail],
          cost: state.cost,
          doubt: state.doubt,
          trace: state.trace,
        });
      }
      for (const linked of linksAt(chart, ids, state)) {
        for (const next of clausesAt(chart, ids, linked)) put(states, next);
        for (const next of ellipses(grammar, chart, ids, linked)) put(states, next);
      }
      for (const next of laterClauses(chart, ids, state)) put(states, next);
    }
  }
  return readings;
};

type Ids = Readonly<Record<(typeof CLASSES)[number], number>>;
const CLASSES = [
  "please",
  "trailing",
  "subject",
  "can",
  "optionally",
  "twice",
  "thrice",
  "times",
  "in",
  "link_and",
  "sep",
  "after",
  "before",
  "that",
  "be_not",
  "not",
  "to_verb",
  "when",
  "slowly",
  "next_to",
  "purpose",
  "verify_that",
] as const;

const idsOf = ({ vocabulary }: Grammar): Ids =>
  Object.fromEntries(CLASSES.map((name) => [name, vocabulary.idOf(name)])) as Ids;

const put = (states: State[][], state: State): void => {
  const known = states[state.at];
  if (!known || state.clauses > MAX_CLAUSES) return;
  const key = keyOf(state);
  const at = known.findIndex((each) => keyOf(each) === key);
  if (at >= 0) {
    if ((known[at]?.cost ?? 0) > state.cost) known[at] = state;
  } else if (known.length < MAX_STATES) known.push(state);
};

const stepsKey = (steps: readonly Draft[]): string =>
  steps
    .map(({ action, target, value, optional }) => `${action}\0${target}\0${value}\0${optional}`)
    .join("\n");

const keyOf = ({ steps, tail, doubt, edge, scope, mode }: State): string =>
  `${stepsKey(steps)}|${stepsKey(tail)}|${doubt ?? ""}|${edge?.again.join(",") ?? ""}|${scope?.place ?? ""}|${mode}`;

/** Whether nothing but marks stands behind a position. */
const isEnd = (chart: Chart, _ids: Ids, at: number): boolean => {
  for (let next = at; next < chart.tokens.length; next++) {
    const token = chart.tokens[next];
    if (token?.kind !== "mark" || !/^[.;,?]$/.test(token.text)) return false;
  }
  return true;
};

/** The positions at which a clause can start behind a position, with the words between that are no part of it. */
const openingsAt = (chart: Chart, ids: Ids, from: number): readonly Opening[] => {
  const openings: Opening[] = [{ at: from, scope: null, isOptional: false, trace: [] }];
  const add = (opening: Opening): void => {
    const isKnown = openings.some(
      ({ at, scope, isOptional }) =>
        at === opening.at &&
        scope?.place === opening.scope?.place &&
        isOptional === opening.isOptional,
    );
    if (!isKnown && openings.length < MAX_STATES) openings.push(opening);
  };
  for (const opening of openings) {
    const { at } = opening;
    const skip = (id: number, rule: string) => {
      for (const end of chart.ends(id, at)) {
        add({ ...opening, at: end, trace: [...opening.trace, traceOf(rule, at, end)] });
      }
    };
    skip(ids.please, "courtesy");
    skip(ids.subject, "subject");
    if (at === from) {
      for (const end of personsAt(chart, at)) add({ ...opening, at: end, isTold: true });
      for (const end of frontedPurposes(chart, ids, at)) {
        add({ ...opening, at: end, trace: [...opening.trace, traceOf("purpose", at, end)] });
      }
    }
    if (at > from) {
      skip(ids.can, "auxiliary");
      if (chart.tokens[at]?.text === "," || chart.tokens[at]?.text === ":")
        add({ ...opening, at: at + 1 });
    }
    for (const end of chart.ends(ids.optionally, at))
      add({ ...opening, at: end, isOptional: true });
    if (opening.scope === null) {
      for (const found of placesAt(chart, ids, at)) {
        add({
          ...opening,
          at: found.end,
          scope: found.scope,
          trace: [...opening.trace, found.trace],
        });
      }
    }
  }
  return openings;
};

/** The positions behind a person: `Maria`, `The manager`. */
const personsAt = (chart: Chart, at: number): readonly number[] => {
  const first = chart.tokens[at];
  if (first?.kind !== "word") return [];
  if (!/^(?:the|a|an)$/.test(first.lower) && chart.isKnown(at)) return [];
  const small = (token: typeof first | undefined): boolean =>
    token?.kind === "word" && /^[a-z]+$/.test(token.text) && findKind(token.text) === null;
  if (/^(?:the|a|an)$/.test(first.lower)) {
    if (!small(chart.tokens[at + 1]) || chart.isKnown(at + 1)) return [];
    return small(chart.tokens[at + 2]) ? [at + 2, at + 3] : [at + 2];
  }
  return /^\p{Lu}\p{Ll}+$/u.test(first.text) && findKind(first.lower) === null ? [at + 1] : [];
};

/** `To see the full history, …`: the position behind the comma. */
const frontedPurposes = (chart: Chart, ids: Ids, at: number): readonly number[] => {
  for (const from of chart.ends(ids.to_verb, at)) {
    for (let end = from; end < chart.tokens.length && end < from + 12; end++) {
      const token = chart.tokens[end];
      if (token?.text === ",") return end > from ? [end + 1] : [];
      if (
        token?.kind !== "word" ||
        /^(?:not|and|or|no|if|until|unless|without|never)$/.test(token.lower)
      )
        break;
    }
  }
  return [];
};

type FoundPlace = { readonly end: number; readonly scope: Scope | null; readonly trace: Trace };

/** The places that start at a position: `in the "Billing" section`, `next to "Total"`. */
const placesAt = (chart: Chart, ids: Ids, at: number): readonly FoundPlace[] => {
  const found: FoundPlace[] = [];
  for (const [id, relation, slot] of [
    [ids.in, "in", "place"],
    [ids.next_to, "next to", "quoted"],
  ] as const) {
    const isFrom = chart.tokens[at]?.lower === "from";
    for (const from of chart.ends(id, at)) {
      for (let end = from + 1; end <= Math.min(chart.tokens.length, from + 12); end++) {
        const reading = chart.slot(slot, from, end);
        if (!reading || reading.doubt !== null || typeof reading.text !== "string") continue;
        const text = relation === "in" ? reading.text : `"${reading.text}"`;
        // An open menu without a name narrows nothing down.
        const scope =
          isFrom && /^the (?:menu|context menu)$/i.test(text) ? null : { place: text, relation };
        found.push({ end, scope, trace: traceOf("place", at, end, { place: text }) });
      }
    }
  }
  // `Under "Notifications", …`: the heading of a section.
  const named = chart.tokens[at + 1];
  if (chart.tokens[at]?.lower === "under" && named?.kind === "quoted") {
    const place = `the ${quote(named.text)} section`;
    found.push({
      end: at + 2,
      scope: { place, relation: "in" },
      trace: traceOf("place", at, at + 2, { place }),
    });
  }
  return found;
};

const traceOf = (
  rule: string,
  from: number,
  to: number,
  slots: Record<string, string> = {},
): Trace => ({
  rule,
  from,
  to,
  slots,
  inner: [],
});

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

/** The readings with a clause, and what belongs to it, behind a position. */
const clausesAt = (chart: Chart, ids: Ids, state: State): readonly State[] => {
  const found: State[] = [];
  for (const opening of openingsAt(chart, ids, state.at)) {
    const scope = opening.scope ?? state.scope;
    const inScope = { ...state, scope };
    const mode = opening.isTold ? "told" : state.mode;
    for (const edge of chart.derive(opening.isTold ? "Command" : "Clause", opening.at, mode)) {
      const isAfterClaim = state.steps.at(-1)?.action.startsWith("assert_") === true;
      if (isAfterClaim && isPassive(edge.trace)) continue;
      found.push(...closed(chart, ids, inScope, opening, edge));
    }
    found.push(...introduced(chart, ids, inScope, opening));
  }
  return found;
};

const isPassive = ({ rule, inner }: Trace): boolean =>
  rule.includes("<passive>") || inner.some(isPassive);

/** A clause with its modifiers: repetition, place, `(optional)`. */
const closed = (
  chart: Chart,
  ids: Ids,
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
  for (const end of closingsAt(chart, ids, edge.end, start)) {
    const isOptional = opening.isOptional || end.isOptional;
    const steps = end.steps.map((step) => (isOptional ? { ...step, optional: true } : step));
    states.push({
      ...state,
      at: end.at,
      steps: [...state.steps, ...steps],
      cost: state.cost + edge.cost,
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
const isNarrow = ({ place }: Scope): boolean => /\b(?:menu|list|dropdown|row)$/i.test(place);

type Closing = {
  readonly at: number;
  readonly steps: readonly Draft[];
  readonly isOptional: boolean;
  readonly trace: readonly Trace[];
};

/** The positions behind the modifiers that follow a clause. */
const closingsAt = (
  chart: Chart,
  ids: Ids,
  from: number,
  steps: readonly Draft[],
): readonly Closing[] => {
  const all: Closing[] = [{ at: from, steps, isOptional: false, trace: [] }];
  const add = (closing: Closing): void => {
    if (all.length < MAX_STATES) all.push(closing);
  };
  for (const closing of all) {
    const { at } = closing;
    for (const end of isWord(chart, at - 1) ? [] : chart.ends(ids.trailing, at)) {
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
      for (const end of chart.ends(ids.twice, at)) repeat(end, 2);
      for (const end of chart.ends(ids.thrice, at)) repeat(end, 3);
      const times = chart.slot("times", at, at + 1);
      if (times && times.doubt === null) {
        for (const end of chart.ends(ids.times, at + 1)) repeat(end, Number(times.text));
      }
    }
    for (const end of purposesAt(chart, ids, at)) {
      add({ ...closing, at: end, trace: [...closing.trace, traceOf("purpose", at, end)] });
    }
    const open = chart.tokens[at]?.text === "(" ? at + 1 : at;
    for (const end of chart.ends(ids.optionally, open)) {
      const close = open > at ? end + 1 : end;
      if (open === at || chart.tokens[end]?.text === ")")
        add({ ...closing, at: close, isOptional: true });
    }
    const isDenied = steps.some(({ action }) => action === "assert_hidden");
    for (const place of placesAt(chart, ids, at)) {
      // `is gone from the list`: whether it was in the list is not claimed.
      if (isDenied && chart.tokens[at]?.lower === "from") continue;
      const inside = placed(closing.steps, place.scope);
      if (inside)
        add({ ...closing, at: place.end, steps: inside, trace: [...closing.trace, place.trace] });
    }
  }
  return all;
};

/** `to apply your changes`: a purpose, up to the next mark. It has no quoted text, no negation and no conjunction. */
const purposesAt = (chart: Chart, ids: Ids, at: number): readonly number[] => {
  const found: number[] = [];
  if (/^(?:next|adjacent|back|up)$/.test(chart.tokens[at - 1]?.lower ?? "")) return found;
  for (const from of chart.ends(ids.to_verb, at)) {
    const verb = chart.tokens[from];
    if (chart.ends(ids.purpose, from).length === 0 || verb?.text !== verb?.lower) continue;
    for (let end = from + 1; end <= chart.tokens.length && end < from + 9; end++) {
      const token = chart.tokens[end - 1];
      if (token?.kind !== "word" || /^(?:not|and|or|no|if|until|then|but)$/.test(token.lower))
        break;
      found.push(end);
    }
  }
  return found;
};

/** Whether a small word that names no kind stands at a position: what follows may belong to the same name. */
const isWord = (chart: Chart, at: number): boolean => {
  const token = chart.tokens[at];
  return (
    token?.kind === "word" &&
    /^[a-z]+$/.test(token.text) &&
    findKind(token.text) === null &&
    !LOOSE.test(chart.tokens[at + 1]?.text ?? "")
  );
};
const LOOSE = /^(?:in|on|to|by|of|from|within|using|with)$/;

const isRepeatable = (steps: readonly Draft[]): boolean =>
  steps.every(({ action }) => !action.startsWith("assert_") && action !== "navigate");

/** `After clicking "Save", …`, `Clicking "Save" shows …`, `When the user clicks "Save", …`, `Before clicking …`. */
const introduced = (chart: Chart, ids: Ids, state: State, opening: Opening): readonly State[] => {
  const found: State[] = [];
  const { at } = opening;
  for (const edge of chart.derive("Command", at, "gerund")) {
    for (const done of closed(chart, ids, state, opening, edge)) {
      for (const effect of chart.derive("Effect", done.at, "third")) {
        found.push(...closed(chart, ids, done, { ...opening, at: done.at }, effect));
      }
    }
  }
  for (const from of chart.ends(ids.after, at)) {
    for (const edge of chart.derive("Command", from, "gerund")) {
      found.push(...closed(chart, ids, { ...state, mode: "gerund" }, opening, edge));
    }
  }
  for (const from of chart.ends(ids.verify_that, at)) {
    if (from < chart.tokens.length)
      found.push(...introduced(chart, ids, state, { ...opening, at: from }));
  }
  for (const from of chart.ends(ids.when, at)) {
    for (const inner of openingsAt(chart, ids, from)) {
      if (inner.at === from || inner.scope) continue;
      for (const edge of chart.derive("Command", inner.at, "order")) {
        found.push(...closed(chart, ids, state, opening, edge));
      }
    }
    for (const edge of chart.derive("Claim", from, "third")) {
      const steps = waited(edge.steps);
      if (steps) found.push(...closed(chart, ids, state, opening, { ...edge, steps, again: [] }));
    }
  }
  return found;
};

/** `… after clicking "Send"`, `… when the user clicks "Send"`, `… before clicking "Next"`. */
const laterClauses = (chart: Chart, ids: Ids, state: State): readonly State[] => {
  const found: State[] = [];
  if (state.tail.length > 0) return found;
  const comma = chart.tokens[state.at]?.text === "," ? state.at + 1 : state.at;
  const opening: Opening = { at: comma, scope: null, isOptional: false, trace: [] };
  const isClaim = state.steps.every(({ action }) => action.startsWith("assert_"));
  const turned: State = { ...state, tail: state.steps, steps: [], edge: null };
  for (const from of chart.ends(ids.after, comma)) {
    for (const edge of chart.derive("Command", from, "gerund")) {
      found.push(...closed(chart, ids, { ...turned, mode: "gerund" }, opening, edge));
    }
  }
  for (const from of isClaim ? chart.ends(ids.when, comma) : []) {
    for (const inner of openingsAt(chart, ids, from)) {
      if (inner.at === from || inner.scope) continue;
      for (const edge of chart.derive("Command", inner.at, "order")) {
        found.push(...closed(chart, ids, turned, opening, edge));
      }
    }
    for (const edge of chart.derive("PassiveCommand", from, "order")) {
      found.push(...closed(chart, ids, turned, opening, edge));
    }
  }
  for (const from of chart.ends(ids.before, comma)) {
    for (const edge of chart.derive("Command", from, "gerund")) {
      found.push(...closed(chart, ids, state, opening, edge));
    }
  }
  return found;
};

/** The states behind the marks and conjunctions that may stand between two clauses. */
const linksAt = (chart: Chart, ids: Ids, state: State): readonly State[] => {
  const ends = new Set<number>();
  const arrows = new Set<number>();
  const visit = (at: number, depth: number): void => {
    if (depth > 3) return;
    for (const id of [ids.link_and, ids.sep]) {
      for (const end of chart.ends(id, at)) {
        ends.add(end);
        if (/^(?:->|→|>|=>|⇒)$/.test(chart.tokens[at]?.text ?? "")) arrows.add(end);
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

const isDropdown = (target: string): boolean => {
  const { find } = parseTarget(target);
  return find.by === "kind" && find.kind === "dropdown";
};

/** `Fill A with "a" and B with "b"`, `"A" is visible and enabled`, `… but "B" is not`. */
const ellipses = (grammar: Grammar, chart: Chart, ids: Ids, state: State): readonly State[] => {
  const { edge } = state;
  if (!edge) return [];
  const found: State[] = [];
  const subjects = [...new Set(edge.steps.map(({ target }) => target))].filter(
    (each) => each !== "",
  );
  const opening: Opening = { at: state.at, scope: null, isOptional: false, trace: [] };
  for (const id of edge.again) {
    const form = grammar.forms[id];
    if (!form) continue;
    for (const at of [state.at, ...chart.ends(ids.please, state.at)]) {
      for (const next of chart.match(form, at, state.mode)) {
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
        const cost = next.cost + (isChoice ? -ELLIPSIS : ELLIPSIS);
        found.push(...closed(chart, ids, state, opening, { ...next, steps, cost }));
      }
    }
  }
  return found;
};
