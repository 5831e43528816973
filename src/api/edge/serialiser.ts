import fastJsonStringify from "fast-json-stringify";
import { z } from "zod";

type JsonSchema = { [key: string]: unknown };

/** Rules that hold for what is read; writing pays for them and gains nothing. */
const RULES = [
  "$schema",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "propertyNames",
  "default",
  "examples",
  "title",
  "description",
];

/** Writes an answer of a schema. What it needs is made with the first: a start makes none, and most are never asked for. */
export const serialiserOf = (schema: z.ZodType): ((answer: unknown) => string) => {
  let write: ((answer: unknown) => string) | null = null;
  return (answer) => {
    write ??= fastJsonStringify(serialiserSchema(schema));
    return write(answer);
  };
};

/**
 * The schema by which an answer is written: the operation's own, without rules that only a reader needs.
 * `X or null` becomes a nullable X: as a union the serialiser would validate each branch, and answer 500
 * where an object has a property more than its schema. `io: "input"` writes what is known and drops the rest.
 */
const serialiserSchema = (schema: z.ZodType): JsonSchema =>
  simplify(z.toJSONSchema(schema, { io: "input" })) as JsonSchema;

const simplify = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(simplify);
  if (typeof node !== "object" || node === null) return node;
  const schema = node as JsonSchema;
  const branches = schema.anyOf;
  if (Array.isArray(branches)) {
    const others = branches.filter((branch) => (branch as JsonSchema).type !== "null");
    if (others.length === 1 && others.length < branches.length) {
      return { ...(simplify(others[0]) as JsonSchema), nullable: true };
    }
  }
  const result: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" || key === "$defs") result[key] = mapValues(value as JsonSchema);
    else if (key === "enum" || key === "const" || key === "required") result[key] = value;
    else if (!RULES.includes(key)) result[key] = simplify(value);
  }
  return result;
};

/** Properties are named by people: none of their names is a rule. */
const mapValues = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, simplify(value)]));
