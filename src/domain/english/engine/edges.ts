import type { CompiledForm } from "./compiled.ts";
import type { Draft, Edge, Part, SlotReading } from "./types.ts";

/** The readings of a form's symbols so far. */
export type Bound = {
  readonly part: Part | null;
  readonly cost: number;
  readonly doubt: string | null;
};

export const NOTHING: Bound = { part: null, cost: 0, doubt: null };
/** The readings so far and one more. */
export const bind = (
  bound: Bound,
  label: string,
  slot: SlotReading | null,
  edge: Edge | null,
): Bound => ({
  part: { label, slot, edge, before: bound.part },
  cost: bound.cost + (slot?.cost ?? 0) + (edge?.cost ?? 0),
  doubt: bound.doubt ?? slot?.doubt ?? edge?.doubt ?? null,
});

const isSameEdge = (one: Edge, other: Edge): boolean =>
  one.end === other.end &&
  one.doubt === other.doubt &&
  one.steps.length === other.steps.length &&
  one.steps.every((step, at) => {
    const its = other.steps[at];
    return step.action === its?.action && step.target === its.target && step.value === its.value;
  }) &&
  (one.again === other.again || one.again.join() === other.again.join());

/** Adds an edge, of equal ones the cheapest. */
export const addEdge = (edges: Edge[], edge: Edge): void => {
  const at = edges.findIndex((known) => isSameEdge(known, edge));
  if (at < 0) edges.push(edge);
  else if ((edges[at]?.cost ?? 0) > edge.cost) edges[at] = edge;
};

const isOpen = (form: CompiledForm, { part }: Bound): boolean => {
  const last = form.symbols.at(-1);
  if (last?.kind === "slot") return true;
  return last?.kind === "phrase" && part?.edge?.isOpen === true;
};

/** The edge of a form whose symbols are all read. */
export const finished = (form: CompiledForm, from: number, end: number, bound: Bound): Edge => {
  const slots: Record<string, SlotReading> = {};
  const inner: Record<string, readonly Draft[]> = {};
  let again = form.again;
  let isLast = true;
  for (let part = bound.part; part; part = part.before) {
    if (part.slot) slots[part.label] ??= part.slot;
    if (part.edge) {
      inner[part.label] ??= part.edge.steps;
      // The last phrase inside may be continued, too.
      if (isLast && part.edge.again.length > 0) again = [...form.again, ...part.edge.again];
      isLast = false;
    }
  }
  return {
    end,
    steps: form.steps(slots, inner),
    doubt: bound.doubt,
    cost: bound.cost + (form.rule.cost ?? 0),
    isOpen: isOpen(form, bound),
    again,
    trace: { rule: form.name, from, to: end, parts: bound.part },
  };
};
