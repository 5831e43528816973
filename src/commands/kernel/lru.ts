/** A map that evicts the least recently used entries. */
export type Lru<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  /** The number of entries and their total weight. */
  size(): { readonly entries: number; readonly weight: number };
};

/**
 * An LRU map of at most `capacity` entries with a total weight of at most `maxWeight`. A value heavier than
 * half of `maxWeight` is not stored. Uses the insertion order of Map.
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
