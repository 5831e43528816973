import { type Step, type StepInput, stepSchema } from "./step.ts";

/** A step in two versions. Positions count from 1; null if the version does not contain it. */
export type StepDifference = {
  readonly kind: "added" | "removed" | "changed" | "moved";
  readonly stepId: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly before: StepInput | null;
  readonly after: StepInput | null;
  /** The changed fields. */
  readonly fields: readonly (keyof StepInput)[];
};

/**
 * Compares two lists of steps by id: removed steps first, then the others in their new order. A step that changed and moved is
 * `changed`. As few steps as possible count as moved.
 */
export const diffSteps = (
  before: readonly Step[],
  after: readonly Step[],
): readonly StepDifference[] => {
  const placeBefore = new Map(
    before.map((step, index) => [step.id, { step, position: index + 1 }]),
  );
  const idsAfter = new Set(after.map(({ id }) => id));
  const gone = before.flatMap((step, index): StepDifference[] =>
    idsAfter.has(step.id)
      ? []
      : [
          {
            kind: "removed",
            stepId: step.id,
            from: index + 1,
            to: null,
            before: inputOf(step),
            after: null,
            fields: [],
          },
        ],
  );
  const stayed = stayedInOrder(after.flatMap(({ id }) => placeBefore.get(id)?.position ?? []));
  const others = after.flatMap((step, index): StepDifference[] => {
    const old = placeBefore.get(step.id);
    const to = index + 1;
    const common = { stepId: step.id, to, after: inputOf(step) };
    if (!old) return [{ kind: "added", ...common, from: null, before: null, fields: [] }];
    const fields = fieldNames.filter((field) => old.step[field] !== step[field]);
    const isMoved = !stayed.has(old.position);
    if (fields.length === 0 && !isMoved) return [];
    const kind = fields.length > 0 ? "changed" : "moved";
    return [{ kind, ...common, from: old.position, before: inputOf(old.step), fields }];
  });
  return [...gone, ...others];
};

const fieldNames = Object.keys(stepSchema.omit({ id: true }).shape) as (keyof StepInput)[];

const inputOf = ({ id: _, ...step }: Step): StepInput => step;

/** The longest increasing subsequence of old positions. All other steps moved. */
const stayedInOrder = (positions: readonly number[]): ReadonlySet<number> => {
  /** Index of the last element of the best subsequence per length, and predecessors. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  positions.forEach((position, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((positions[ends[middle] ?? 0] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? ends[low - 1] : undefined;
    ends[low] = index;
  });
  const stayed = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) stayed.add(positions[at] ?? 0);
  return stayed;
};

/** Summarises the difference, such as `2 steps added, 1 changed`. Empty if there is none. */
export const summarize = (differences: readonly StepDifference[]): string => {
  const counts = (["added", "removed", "changed", "moved"] as const)
    .map((kind) => [kind, differences.filter((one) => one.kind === kind).length] as const)
    .filter(([, count]) => count > 0);
  return counts
    .map(([kind, count], index) => {
      if (index > 0) return `${count} ${kind}`;
      return `${count} ${count === 1 ? "step" : "steps"} ${kind}`;
    })
    .join(", ");
};
