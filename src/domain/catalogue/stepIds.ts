import type { Step } from "./step.ts";

/**
 * Gives the steps that replace others the ids of those they continue, so that what is kept by step id
 * (baselines, fingerprints) survives a push: longest common subsequence on (action, target, value),
 * then, of what is left on both sides, on (action, target). Steps that continue none keep their new id.
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

/** The pairs of a longest common subsequence; of several, one that pairs early steps. */
const commonSubsequence = <Item>(
  left: readonly Item[],
  right: readonly Item[],
  keyOf: (item: Item) => string,
): [Item, Item][] => {
  const a = left.map(keyOf);
  const b = right.map(keyOf);
  // lengths[i][j]: how long it is for the rests from i and from j.
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
