import { z } from "zod";
import { fieldDescription } from "./glossary.ts";

export type Json = Record<string, unknown>;

const REF = "#/components/schemas/";

/** An empty registry: with it, schemas with an id are written inline. */
const inline = z.registry<Record<string, never>>();

/**
 * The JSON schema of a Zod type. Schemas with an id (`.meta({ id: "Run" })`) become references, and are added to
 * `components`. `owner` names the schema in the glossary. Files, which JSON schema cannot express, become empty schemas.
 */
export const jsonSchema = (
  schema: z.ZodType,
  components: Json = {},
  owner: string | null = null,
): Json => {
  const wrapped = z.toJSONSchema(z.object({ root: schema }), options) as unknown as {
    properties: { root: Json };
    $defs?: Record<string, Json>;
  };
  for (const [name, { id: _, ...definition }] of Object.entries(wrapped.$defs ?? {})) {
    components[name] ??= documented(definition, name);
  }
  return documented(wrapped.properties.root, owner) as Json;
};

/** The JSON schema of a Zod type without references. */
export const inlineSchema = (schema: z.ZodType): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { ...options, metadata: inline }) as Json;
  return rest;
};

const options = {
  io: "input",
  unrepresentable: "any",
  override: ({ jsonSchema: made }: { jsonSchema: Json }) => {
    // Zod limits every integer to the safe range of doubles, which adds no information.
    if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
    if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
    // The format says the same as its pattern of 200 characters.
    if (made.format !== undefined) delete made.pattern;
  },
} as const;

/** Writes a nullable text or number as one type with two names, which is a third shorter than `anyOf`. */
const shortenNullable = ({ anyOf, ...schema }: Json): Json => {
  const [value, none, ...others] = (anyOf ?? []) as readonly Json[];
  const isSimple = typeof value?.type === "string" && !("properties" in value || "items" in value);
  if (
    !isSimple ||
    "enum" in value ||
    "const" in value ||
    none?.type !== "null" ||
    others.length > 0
  )
    return anyOf === undefined ? schema : { anyOf, ...schema };
  return { ...value, ...schema, type: [value.type, "null"] };
};

/** Points references to the components, and describes fields by the glossary if they have no description. */
const documented = (node: unknown, owner: string | null): unknown => {
  if (Array.isArray(node)) return node.map((each) => documented(each, owner));
  if (typeof node !== "object" || node === null) return node;
  const result: Json = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === "$ref") result.$ref = String(value).replace("#/$defs/", REF);
    else if (keyword === "properties") result.properties = describedFields(value as Json, owner);
    else if (LITERALS.has(keyword)) result[keyword] = value;
    else result[keyword] = documented(value, owner);
  }
  return shortenNullable(result);
};

const LITERALS = new Set(["enum", "const", "default", "examples", "required"]);

const describedFields = (properties: Json, owner: string | null): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const field = documented(value, owner) as Json;
      const description = field.description ?? fieldDescription(name, owner);
      return [name, description === undefined ? field : { ...field, description }];
    }),
  );
