/** A JSON schema of openapi.json. */
export type Schema = Readonly<Record<string, unknown>>;

type Problems = string[];

/** Returns the violations of a schema with their paths. Empty for a valid value. `refs` resolves a `$ref`. Throws on an unknown keyword, which could hide a violation. */
export const problemsOf = (
  schema: Schema,
  value: unknown,
  refs: (reference: string) => Schema,
  at = "body",
): Problems => {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword)) throw new Error(`The keyword ${keyword} is not known here`);
  }
  const inside = (sub: unknown, part: unknown, place: string): Problems =>
    problemsOf(sub as Schema, part, refs, place);
  if (typeof schema.$ref === "string") return inside(refs(schema.$ref), value, at);

  const problems: Problems = [];
  const types = schema.type === undefined ? null : [schema.type].flat();
  if (types && !types.some((type) => isOfType(value, String(type)))) {
    return [`${at} is ${typeNameOf(value)}, not ${types.join(" or ")}`];
  }
  if ("const" in schema && value !== schema.const) problems.push(`${at} is not ${schema.const}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    problems.push(`${at} is none of ${schema.enum.join(", ")}`);
  }
  const branches = (schema.anyOf ?? schema.oneOf) as readonly unknown[] | undefined;
  if (branches) {
    const each = branches.map((branch) => inside(branch, value, at));
    const fitting = each.filter((one) => one.length === 0).length;
    if (fitting === 0 || (schema.oneOf && fitting > 1)) {
      problems.push(
        `${at} fits ${fitting} of its forms (${each.map((one) => one[0] ?? "fits").join("; ")})`,
      );
    }
  }
  for (const part of (schema.allOf ?? []) as readonly unknown[]) {
    problems.push(...inside(part, value, at));
  }
  if (typeof value === "string") problems.push(...problemsOfText(schema, value, at));
  if (typeof value === "number") problems.push(...problemsOfNumber(schema, value, at));
  if (Array.isArray(value)) {
    problems.push(...outside(at, value.length, schema.minItems, schema.maxItems));
    if (schema.items) {
      for (const [index, item] of value.entries()) {
        problems.push(...inside(schema.items, item, `${at}[${index}]`));
      }
    }
  } else if (typeof value === "object" && value !== null) {
    problems.push(...problemsOfObject(schema, value as Schema, at, inside));
  }
  return problems;
};

const KNOWN = new Set(
  [
    "$ref type const enum anyOf oneOf allOf items properties required additionalProperties",
    "propertyNames minItems maxItems minLength maxLength pattern format minimum maximum",
    "exclusiveMinimum exclusiveMaximum default description title examples",
  ].flatMap((line) => line.split(" ")),
);

const problemsOfObject = (
  schema: Schema,
  value: Schema,
  at: string,
  inside: (schema: unknown, part: unknown, place: string) => Problems,
): Problems => {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, unknown>>;
  const problems = ((schema.required ?? []) as string[])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${at}.${name} is missing`);
  for (const [name, part] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) {
      problems.push(...inside(property, part, `${at}.${name}`));
      continue;
    }
    // A response contains only the fields of its schema. An object without declared fields may contain any.
    const others = schema.additionalProperties;
    if (others === false || (others === undefined && schema.properties)) {
      problems.push(`${at}.${name} is not named by the schema`);
    } else if (typeof others === "object") {
      problems.push(...inside(others, part, `${at}.${name}`));
    }
    if (schema.propertyNames)
      problems.push(...inside(schema.propertyNames, name, `${at}: ${name}`));
  }
  return problems;
};

const problemsOfText = (schema: Schema, value: string, at: string): Problems => [
  ...outside(at, value.length, schema.minLength, schema.maxLength),
  ...(typeof schema.pattern === "string" && !patternOf(schema.pattern).test(value)
    ? [`${at} does not match ${schema.pattern}`]
    : []),
];

const problemsOfNumber = (schema: Schema, value: number, at: string): Problems => [
  ...outside(at, value, schema.minimum, schema.maximum),
  ...(typeof schema.exclusiveMinimum === "number" && value <= schema.exclusiveMinimum
    ? [`${at} is not above ${schema.exclusiveMinimum}`]
    : []),
  ...(typeof schema.exclusiveMaximum === "number" && value >= schema.exclusiveMaximum
    ? [`${at} is not below ${schema.exclusiveMaximum}`]
    : []),
];

const outside = (at: string, size: number, least: unknown, most: unknown): Problems => [
  ...(typeof least === "number" && size < least ? [`${at} has ${size}, below ${least}`] : []),
  ...(typeof most === "number" && size > most ? [`${at} has ${size}, above ${most}`] : []),
];

const typeNameOf = (value: unknown): string => {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
};

const isOfType = (value: unknown, type: string): boolean =>
  type === "integer"
    ? Number.isInteger(value)
    : type === "number"
      ? typeof value === "number"
      : typeNameOf(value) === type;

/** Compiled patterns, which every item of a list shares. */
const patterns = new Map<string, RegExp>();

const patternOf = (source: string): RegExp => {
  const known = patterns.get(source) ?? new RegExp(source, "u");
  patterns.set(source, known);
  return known;
};
