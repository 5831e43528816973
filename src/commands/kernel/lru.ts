/** A map that forgets what was used longest ago. */
export type Lru<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
};

/** An LRU of at most `capacity` entries, on the insertion order of Map. */
export const createLru = <Key, Value>(capacity: number): Lru<Key, Value> => {
  const entries = new Map<Key, Value>();
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > capacity) {
        const oldest = entries.keys().next();
        if (!oldest.done) entries.delete(oldest.value);
      }
    },
    delete: (key) => {
      entries.delete(key);
    },
  };
};
