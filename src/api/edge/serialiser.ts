import fastJsonStringify from "fast-json-stringify";
import { z } from "zod";

type JsonSchema = { [key: string]: unknown };

/** Keywords that only matter for validation. */
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

/** An empty registry: named schemas are written inline. */
const inline = z.registry<Record<string, never>>();

/** Serialises responses by a schema. Compiled on first use: most operations are never called in a process. */
export const serialiserOf = (schema: z.ZodType): ((answer: unknown) => string) => {
  let write: ((answer: unknown) => string) | null = null;
  return (answer) => {
    write ??= fastJsonStringify(serialiserSchema(schema));
    return write(answer);
  };
};

/**
 * The serialiser's schema: the operation's without validation keywords. `X or null` becomes a nullable X: for a union
 * the serialiser would validate each branch and fail on additional properties. `io: "input"` drops unknown properties.
 */
const serialiserSchema = (schema: z.ZodType): JsonSchema =>
  simplify(z.toJSONSchema(schema, { io: "input", metadata: inline })) as JsonSchema;

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

/** Keys of `properties` are names, not keywords. */
const mapValues = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, simplify(value)]));
