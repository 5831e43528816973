/** A map that forgets what was used longest ago. */
export type Lru<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  /** How many entries it holds, and what they weigh together. */
  size(): { readonly entries: number; readonly weight: number };
};

/**
 * An LRU of at most `capacity` entries, on the insertion order of Map. With `weigh`, also of at most
 * `maxWeight` together; what is heavier than half of that alone is not kept.
 */
export const createLru = <Key, Value>(
  capacity: number,
  limit: { readonly maxWeight: number; readonly weigh: (value: Value) => number } = {
    maxWeight: Number.POSITIVE_INFINITY,
    weigh: () => 0,
  },
): Lru<Key, Value> => {
  const entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  let total = 0;
  const remove = (key: Key): void => {
    const entry = entries.get(key);
    if (!entry) return;
    total -= entry.weight;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value) => {
      remove(key);
      const weight = limit.weigh(value);
      if (weight > limit.maxWeight / 2) return;
      entries.set(key, { value, weight });
      total += weight;
      while (entries.size > capacity || total > limit.maxWeight) {
        const oldest = entries.keys().next();
        if (oldest.done) return;
        remove(oldest.value);
      }
    },
    delete: remove,
    size: () => ({ entries: entries.size, weight: total }),
  };
};
