import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entriesOf,
  getValue,
  type PersistentMap,
  persistentMap,
  withValue,
} from "../../../../src/domain/billing/persistentMap.ts";

describe("persistent map", () => {
  it("keeps every version unchanged when values are added to any version", () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const change = fc.record({ on: fc.nat(), key, value: fc.nat() });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const start = persistentMap<number>([["a", -1]]);
        const versions: [PersistentMap<number>, Map<string, number>][] = [
          [start, new Map([["a", -1]])],
        ];
        for (const { on, key: name, value } of changes) {
          const [map, model] = versions[on % versions.length] ?? [start, new Map()];
          versions.push([withValue(map, name, value), new Map(model).set(name, value)]);
        }
        for (const [map, model] of versions) {
          expect(new Map(entriesOf(map))).toEqual(model);
          for (const name of "abcd") expect(getValue(map, name)).toBe(model.get(name));
        }
      }),
    );
  });
});
