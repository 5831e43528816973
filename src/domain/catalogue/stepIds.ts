import type { Step } from "./step.ts";

/**
 * Gives new steps the ids of the old steps that they continue, so that baselines and fingerprints, which are stored by step
 * id, survive a push. Matches by longest common subsequence on (action, target, value), then the rest on (action, target).
 * Unmatched steps keep their new ids.
 */
export const keepStepIds = (before: readonly Step[], after: readonly Step[]): readonly Step[] => {
  const idOf = new Map<Step, string>();
  const settle = (keyOf: (step: Step) => string) => {
    const taken = new Set(idOf.values());
    const old = before.filter((step) => !taken.has(step.id));
    const open = after.filter((step) => !idOf.has(step));
    for (const [from, to] of commonSubsequence(old, open, keyOf)) idOf.set(to, from.id);
  };
  settle(({ action, target, value }) => JSON.stringify([action, target, value]));
  settle(({ action, target }) => JSON.stringify([action, target]));
  return after.map((step) => ({ ...step, id: idOf.get(step) ?? step.id }));
};

/** Pairs of a longest common subsequence. Prefers early steps. */
const commonSubsequence = <Item>(
  left: readonly Item[],
  right: readonly Item[],
  keyOf: (item: Item) => string,
): [Item, Item][] => {
  const a = left.map(keyOf);
  const b = right.map(keyOf);
  // lengths[i][j]: length for the suffixes that start at i and j.
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    for (let j = b.length - 1; row && j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [Item, Item][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const from = left[i];
    const to = right[j];
    if (a[i] === b[j] && from !== undefined && to !== undefined) {
      pairs.push([from, to]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
};
