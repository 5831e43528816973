/**
 * A persistent map: every version stays readable, and adding an entry takes constant time. Versions of one history
 * share a store in which each value names the version that set it. Adding to a version that is not the newest of its
 * store copies the store.
 */
export type PersistentMap<Value> = {
  readonly store: Map<string, readonly Versioned<Value>[]>;
  /** The number of changes. */
  readonly version: number;
};

type Versioned<Value> = { readonly version: number; readonly value: Value };

/** The version of the newest map over a store. */
const newest = new WeakMap<object, number>();

export const persistentMap = <Value>(
  entries: Iterable<readonly [string, Value]> = [],
): PersistentMap<Value> => {
  const store = new Map<string, readonly Versioned<Value>[]>();
  for (const [key, value] of entries) store.set(key, [{ version: 0, value }]);
  newest.set(store, 0);
  return { store, version: 0 };
};

export const getValue = <Value>(
  { store, version }: PersistentMap<Value>,
  key: string,
): Value | undefined => store.get(key)?.findLast((one) => one.version <= version)?.value;

/** A version of the map with one more entry. */
export const withValue = <Value>(
  map: PersistentMap<Value>,
  key: string,
  value: Value,
): PersistentMap<Value> => {
  // Version 0 may be a constant shared by many histories: always copy it.
  const isNewest = map.version > 0 && newest.get(map.store) === map.version;
  const { store, version } = isNewest ? map : copied(map);
  const next = version + 1;
  store.set(key, [...(store.get(key) ?? []), { version: next, value }]);
  newest.set(store, next);
  return { store, version: next };
};

export function* entriesOf<Value>(map: PersistentMap<Value>): Generator<readonly [string, Value]> {
  for (const [key, values] of map.store) {
    const found = values.findLast(({ version }) => version <= map.version);
    if (found) yield [key, found.value];
  }
}

const copied = <Value>(map: PersistentMap<Value>): PersistentMap<Value> =>
  persistentMap(entriesOf(map));
