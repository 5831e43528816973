/** Batches lookups of one event loop turn into one call with distinct keys. Use one loader per query. */
export const createDataLoader = <Key, Value>(
  loadAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): ((key: Key) => Promise<Value | undefined>) => {
  let next: { keys: Set<Key>; loaded: Promise<ReadonlyMap<Key, Value>> } | null = null;
  return async (key) => {
    if (next === null) {
      const keys = new Set<Key>();
      const loaded = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        next = null;
        return loadAll([...keys]);
      });
      next = { keys, loaded };
    }
    next.keys.add(key);
    return (await next.loaded).get(key);
  };
};
