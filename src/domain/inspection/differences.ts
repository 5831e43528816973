/** What differs between two values, by the path to it: `steps.0.value`. What is not there is null. */
export type Difference = {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** More are not told apart: the rest of it is one difference. */
const MAX_DIFFERENCES = 500;

/**
 * What differs between two JSON values, in the order of their fields. A value that is not there differs from one
 * that is null. Past 500 differences, what is left of a branch is told as one.
 */
export const differences = (before: unknown, after: unknown): readonly Difference[] => {
  const found: Difference[] = [];
  const compare = (path: readonly string[], one: unknown, other: unknown): void => {
    const [left, right] = [branchesOf(one), branchesOf(other)];
    const isSameKind = left && right && Array.isArray(one) === Array.isArray(other);
    if (!isSameKind || found.length >= MAX_DIFFERENCES) {
      if (JSON.stringify(one) === JSON.stringify(other)) return;
      found.push({ field: path.join("."), before: one ?? null, after: other ?? null });
      return;
    }
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      compare([...path, key], left.get(key), right.get(key));
    }
  };
  compare([], before, after);
  return found;
};

const branchesOf = (value: unknown): ReadonlyMap<string, unknown> | null =>
  value !== null && typeof value === "object" ? new Map(Object.entries(value)) : null;
