import { findKind } from "../../catalogue/kinds.ts";
import { quote } from "../words.ts";
import { type Context, type FoundPlace, MAX_STATES, type Opening, traceOf } from "./context.ts";

/** The cost of a word that is no part of a clause: `First name` is rather a name than an order. */
const SKIPPED = 0.11;

/** The positions at which a clause can start behind a position, with the words between that are no part of it. */
export const openingsAt = (context: Context, from: number): readonly Opening[] => {
  const known = context.openings.get(from);
  if (known) return known;
  const found = findOpenings(context, from);
  context.openings.set(from, found);
  return found;
};

const findOpenings = (context: Context, from: number): readonly Opening[] => {
  const openings: Opening[] = [{ at: from, scope: null, isOptional: false, cost: 0, trace: [] }];
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
    const skip = (id: number, rule: string, cost = 0) => {
      for (const end of context.chart.ends(id, at)) {
        add({
          ...opening,
          at: end,
          cost: opening.cost + (end - at) * cost,
          trace: [...opening.trace, traceOf(rule, at, end)],
        });
      }
    };
    skip(context.ids.please, "courtesy", SKIPPED);
    skip(context.ids.subject, "subject");
    if (at === from) {
      for (const end of personsAt(context, at))
        add({ ...opening, at: end, isTold: true, cost: opening.cost + SKIPPED });
      for (const end of frontedPurposes(context, at)) {
        add({ ...opening, at: end, trace: [...opening.trace, traceOf("purpose", at, end)] });
      }
    }
    if (at > from) {
      skip(context.ids.can, "auxiliary");
      if (context.chart.tokens[at]?.text === "," || context.chart.tokens[at]?.text === ":")
        add({ ...opening, at: at + 1 });
    }
    const isOpen = context.chart.tokens[at]?.text === "(";
    for (const end of context.chart.ends(context.ids.optionally, isOpen ? at + 1 : at)) {
      if (!isOpen) add({ ...opening, at: end, isOptional: true });
      else if (context.chart.tokens[end]?.text === ")")
        add({ ...opening, at: end + 1, isOptional: true });
    }
    if (opening.scope === null) {
      for (const found of placesAt(context, at)) {
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
const personsAt = (context: Context, at: number): readonly number[] => {
  const first = context.chart.tokens[at];
  if (first?.kind !== "word") return [];
  if (!/^(?:the|a|an)$/.test(first.lower) && context.chart.isKnown(at)) return [];
  const small = (token: typeof first | undefined): boolean =>
    token?.kind === "word" && /^[a-z]+$/.test(token.text) && findKind(token.text) === null;
  if (/^(?:the|a|an)$/.test(first.lower)) {
    if (!small(context.chart.tokens[at + 1]) || context.chart.isKnown(at + 1)) return [];
    return small(context.chart.tokens[at + 2]) ? [at + 2, at + 3] : [at + 2];
  }
  return /^\p{Lu}\p{Ll}+$/u.test(first.text) && findKind(first.lower) === null ? [at + 1] : [];
};

/** `To see the full history, …`: the position behind the comma. */
const frontedPurposes = (context: Context, at: number): readonly number[] => {
  for (const from of context.chart.ends(context.ids.to_verb, at)) {
    for (let end = from; end < context.chart.tokens.length && end < from + 12; end++) {
      const token = context.chart.tokens[end];
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

/** The places that start at a position: `in the "Billing" section`, `next to "Total"`. */
export const placesAt = (context: Context, at: number): readonly FoundPlace[] => {
  const known = context.places.get(at);
  if (known) return known;
  const found = findPlaces(context, at);
  context.places.set(at, found);
  return found;
};

const findPlaces = (context: Context, at: number): readonly FoundPlace[] => {
  const found: FoundPlace[] = [];
  for (const [id, relation, slot] of [
    [context.ids.in, "in", "place"],
    [context.ids.next_to, "next to", "quoted"],
  ] as const) {
    for (const from of context.chart.ends(id, at)) {
      for (let end = from + 1; end <= Math.min(context.chart.tokens.length, from + 12); end++) {
        const reading = context.chart.slot(slot, from, end);
        if (!reading || reading.doubt !== null || typeof reading.text !== "string") continue;
        const text = relation === "in" ? reading.text : `"${reading.text}"`;
        found.push({
          end,
          scope: { place: text, relation },
          trace: traceOf("place", at, end, { place: text }),
        });
      }
    }
  }
  found.push(...pagesAt(context, at));
  // `Under "Notifications", …`: the heading of a section.
  const named = context.chart.tokens[at + 1];
  if (context.chart.tokens[at]?.lower === "under" && named?.kind === "quoted") {
    const place = `the ${quote(named.text)} section`;
    found.push({
      end: at + 2,
      scope: { place, relation: "in" },
      trace: traceOf("place", at, at + 2, { place }),
    });
  }
  return found;
};

/** `on the login page`: a page narrows nothing down. */
const pagesAt = (context: Context, at: number): readonly FoundPlace[] => {
  const { tokens } = context.chart;
  if (!/^(?:on|in|at|from)$/.test(tokens[at]?.lower ?? "") || tokens[at + 1]?.lower !== "the")
    return [];
  for (let end = at + 3; end < at + 7 && end <= tokens.length; end++) {
    const last = tokens[end - 1];
    if (last?.kind === "mark" || last?.lower === "of") break;
    if (last?.kind !== "word" || !/^(?:page|screen)$/.test(last.lower)) continue;
    return [{ end, scope: null, trace: traceOf("page", at, end) }];
  }
  return [];
};
