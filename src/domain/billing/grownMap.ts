/**
 * A map of which each version stays as it was, while what is put in costs the same however much is there: the
 * versions of one history share a store, in which each value says since which version it counts. A version
 * from which another went on already is copied when something is put into it.
 */
export type GrownMap<Value> = {
  readonly store: Map<string, readonly Since<Value>[]>;
  /** Of how many changes it consists. */
  readonly version: number;
};

type Since<Value> = { readonly version: number; readonly value: Value };

/** The store's own version: that of the newest map over it. */
const newest = new WeakMap<object, number>();

/** A map of these entries. */
export const grownMap = <Value>(
  entries: Iterable<readonly [string, Value]> = [],
): GrownMap<Value> => {
  const store = new Map<string, readonly Since<Value>[]>();
  for (const [key, value] of entries) store.set(key, [{ version: 0, value }]);
  newest.set(store, 0);
  return { store, version: 0 };
};

/** What stands under a key; undefined where nothing does. */
export const grownGet = <Value>(
  { store, version }: GrownMap<Value>,
  key: string,
): Value | undefined => store.get(key)?.findLast((since) => since.version <= version)?.value;

/** The map with a value under a key. */
export const grownSet = <Value>(
  map: GrownMap<Value>,
  key: string,
  value: Value,
): GrownMap<Value> => {
  // The first version may be a constant that many histories begin with.
  const isNewest = map.version > 0 && newest.get(map.store) === map.version;
  const { store, version } = isNewest ? map : copied(map);
  const next = version + 1;
  store.set(key, [...(store.get(key) ?? []), { version: next, value }]);
  newest.set(store, next);
  return { store, version: next };
};

/** Every key with what stands under it. */
export function* grownEntries<Value>(map: GrownMap<Value>): Generator<readonly [string, Value]> {
  for (const [key, values] of map.store) {
    const since = values.findLast(({ version }) => version <= map.version);
    if (since) yield [key, since.value];
  }
}

const copied = <Value>(map: GrownMap<Value>): GrownMap<Value> => grownMap(grownEntries(map));
