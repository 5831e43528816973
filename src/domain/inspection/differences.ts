/** A difference between two values at a path such as `steps.0.value`. A missing value is null. */
export type Difference = {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** The maximum number of differences. The rest of a branch is reported as one. */
const MAX_DIFFERENCES = 500;

/**
 * The differences between two JSON values, in field order. A missing value differs from null. Beyond 500 differences
 * the rest of a branch is reported as one.
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
