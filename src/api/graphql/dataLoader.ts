/**
 * Makes one look-up of many: what is asked for while an answer is put together is asked for at once, each key
 * once. Of one query: what it knows is as old as that.
 */
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
