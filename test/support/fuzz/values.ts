import fc from "fast-check";
import type { Schema } from "./jsonSchema.ts";

/** A placeholder for an id of this kind or an unused address, which is inserted when the request is sent. */
export type Wanted = { readonly $wanted: string; readonly nth: number };

export const isWanted = (value: unknown): value is Wanted =>
  typeof value === "object" && value !== null && "$wanted" in value;

type Refs = (reference: string) => Schema;

const texts = [
  ..."\0 \ud800 \u202e 💥 __proto__ constructor %00 %zz ../../etc/passwd '; -1 0 0.5 1e309 NaN".split(
    " ",
  ),
  ...["", " ", "2147483648", "9007199254740993", "9".repeat(400), "a".repeat(9_000), "null", "[]"],
  ...["file:///etc/passwd", "javascript:alert(1)", "http://[::1", "ann@example.test\r\nBcc: x@y.z"],
  ...["9999-12-31T23:59:59-12:00", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z"],
  ...["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"],
];
const deep = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n]));

/** Unexpected text. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ unit: "binary" }),
);

/** An unexpected value of any type. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...[null, true, -1, 0, 0.5, 2 ** 31, 2 ** 53, 1e308, [], {}, deep(30), deep(60), wide],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 5 }) },
);

/** Generates values that a JSON schema accepts. `name` is the field's name: ids are mostly of existing entities. */
export const valuesOf = (schema: Schema, refs: Refs, name = ""): fc.Arbitrary<unknown> => {
  if (typeof schema.$ref === "string") return valuesOf(refs(schema.$ref), refs, name);
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const branches = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (branches) return fc.oneof(...branches.map((branch) => valuesOf(branch, refs, name)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "object":
      return objects(schema, refs);
    case "array":
      return fc.array(valuesOf((schema.items ?? {}) as Schema, refs, name), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? 4), Number(schema.minItems ?? 0) + 3),
      });
    case "string":
      return textsOf(schema, name);
    case "integer":
    case "number":
      return numbersOf(schema, type === "integer", name);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

const objects = (schema: Schema, refs: Refs): fc.Arbitrary<unknown> => {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (properties.length === 0 && typeof schema.additionalProperties === "object") {
    const key = valuesOf((schema.propertyNames ?? { type: "string" }) as Schema, refs);
    const value = valuesOf((schema.additionalProperties ?? {}) as Schema, refs);
    return fc.dictionary(key as fc.Arbitrary<string>, value, { maxKeys: 3 });
  }
  return fc.record(
    Object.fromEntries(properties.map(([key, value]) => [key, valuesOf(value, refs, key)])),
    {
      requiredKeys: ((schema.required ?? []) as string[]).filter(
        (key) => key in Object(schema.properties),
      ),
    },
  );
};

const wanted = (kind: string): fc.Arbitrary<Wanted> =>
  fc.nat(1_000).map((nth) => ({ $wanted: kind, nth }));

const textsOf = (schema: Schema, name: string): fc.Arbitrary<unknown> => {
  const noun = /^(.+?)_ids?$/.exec(name)?.[1];
  if (schema.format === "uuid") {
    return fc.oneof(
      { weight: 4, arbitrary: wanted(noun ?? "any") },
      { weight: 1, arbitrary: fc.uuid({ version: 7 }) },
    );
  }
  if (schema.format === "email") return wanted("email");
  const [minLength, maxLength] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 60)];
  if (typeof schema.pattern === "string") {
    // Not every pattern can generate values. Formats of ISO 8601 replace the others.
    if (schema.format === "date-time") return dates;
    try {
      return longEnough(
        fc.stringMatching(new RegExp(schema.pattern, "u"), { size: "-1" }),
        minLength,
      );
    } catch {
      return fc.constant("x");
    }
  }
  if (schema.format === "date-time") return dates;
  const length = { minLength, maxLength: Math.min(maxLength, minLength + 60) };
  return fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit: "grapheme-ascii", ...length }) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", ...length }) },
    // The maximum length.
    { weight: 1, arbitrary: fc.constant("é".repeat(Math.min(maxLength, 10_000))) },
  );
};

/** Repeats text up to the minimum length, which a pattern does not contain. */
const longEnough = (texts: fc.Arbitrary<string>, minLength: number): fc.Arbitrary<string> =>
  texts.map((text) =>
    text.length === 0 || text.length >= minLength
      ? text
      : text.repeat(Math.ceil(minLength / text.length)),
  );

const dates = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());

const numbersOf = (schema: Schema, isWhole: boolean, name: string): fc.Arbitrary<number> => {
  const above =
    schema.exclusiveMinimum === undefined ? undefined : Number(schema.exclusiveMinimum) + 1;
  const min = Number(schema.minimum ?? above ?? 0);
  // A request that waits for the maximum time is valid but slow.
  const most = name === "wait" ? 1 : Number(schema.maximum ?? 1e6);
  const max = Math.min(most, min + 1e6);
  return fc.oneof(
    isWhole ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }),
    fc.constantFrom(min, most),
  );
};

/** Mutations of one place of a valid value. */
export type Damage = { readonly at: number; readonly value: unknown; readonly isRemoval: boolean };

export const damages: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(10_000),
  value: hostileValue,
  isRemoval: fc.boolean(),
});

type Place = { readonly parent: Record<string, unknown>; readonly key: string };

/** Returns the path of each value, and of one additional field per object. */
const placesIn = (value: unknown): Place[] => {
  if (typeof value !== "object" || value === null || isWanted(value)) return [];
  const parent = value as Record<string, unknown>;
  const inside = Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
  return Array.isArray(value) ? inside : [...inside, { parent, key: "unknown" }];
};

/** Generates the value with one mutated place, which may be the whole. */
export const damaged = (value: unknown, { at, value: other, isRemoval }: Damage): unknown => {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const place = places[at % (places.length + 1)];
  if (!place) return other;
  if (isRemoval) delete place.parent[place.key];
  else place.parent[place.key] = other;
  return copy;
};
