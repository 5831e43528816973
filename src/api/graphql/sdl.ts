import type { z } from "zod";

/** The part of a Zod definition that is used here. */
type Definition = {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly out?: z.ZodType;
};
type Shaped = { readonly shape: Readonly<Record<string, z.ZodType>> };

const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

/** Valid field names. */
const FIELD = /^[A-Za-z][A-Za-z0-9_]*$/;

export type TypeWriter = {
  /** The GraphQL type of a schema, with `!` if it is not nullable. Unsupported schemas are JSON. */
  typeOf(schema: z.ZodType, name: string): string;
  /** Arguments such as `(id: ID!, limit: Int)` for the fields of object schemas; empty without fields. */
  argumentsOf(...schemas: readonly (z.ZodType | undefined)[]): string;
  /** Definitions of all object types named so far, with additional fields by type. */
  write(more: Readonly<Record<string, string>>): string;
};

/** Derives GraphQL types from the Zod schemas of the REST operations. A schema used twice keeps its first name. */
export const createTypeWriter = (): TypeWriter => {
  const names = new Map<z.ZodType, string>();
  const objects = new Map<string, Readonly<Record<string, string>>>();

  const typeOf = (schema: z.ZodType, name: string): string => {
    const { inner, isNullable } = unwrapped(schema);
    return `${bare(inner, name)}${isNullable ? "" : "!"}`;
  };

  const bare = (schema: z.ZodType, name: string): string => {
    const definition = definitionOf(schema);
    if (definition.type === "array" && definition.element) {
      return `[${typeOf(definition.element, name)}]`;
    }
    return definition.type === "object" ? objectOf(schema, name) : scalarOf(definition);
  };

  const objectOf = (schema: z.ZodType, wanted: string): string => {
    const known = names.get(schema);
    if (known !== undefined) return known;
    const fields = Object.entries((schema as unknown as Shaped).shape);
    if (fields.length === 0 || !fields.every(([field]) => FIELD.test(field))) return "JSON";
    let name = wanted;
    while (objects.has(name)) name = `${name}Part`;
    names.set(schema, name);
    objects.set(name, {});
    const types = fields.map(([field, one]) => [field, typeOf(one, partName(name, field))]);
    objects.set(name, Object.fromEntries(types));
    return name;
  };

  return {
    typeOf,
    argumentsOf: (...schemas) => {
      const all = schemas.flatMap((schema) =>
        schema ? Object.entries((schema as unknown as Shaped).shape) : [],
      );
      const written = all.map(([field, one]) => {
        const { inner } = unwrapped(one);
        const needed = one.safeParse(undefined).success ? "" : "!";
        return `${field}: ${scalarOf(definitionOf(inner))}${needed}`;
      });
      return written.length > 0 ? `(${written.join(", ")})` : "";
    },
    write: (more) =>
      [...objects]
        .map(([name, fields]) => {
          const lines = Object.entries(fields).map(([field, type]) => `  ${field}: ${type}`);
          return `type ${name} {\n${[...lines, ...(more[name] ? [more[name]] : [])].join("\n")}\n}`;
        })
        .join("\n"),
  };
};

/** Removes wrappers such as optional, nullable and default. */
const unwrapped = (
  schema: z.ZodType,
): { readonly inner: z.ZodType; readonly isNullable: boolean } => {
  let [inner, isNullable] = [schema, false];
  for (;;) {
    const { type, innerType } = definitionOf(inner);
    if (!innerType) return { inner, isNullable };
    if (type === "nullable" || type === "optional") isNullable = true;
    inner = innerType;
  }
};

const scalarOf = ({ type, format }: Definition): string => {
  switch (type) {
    case "string":
      return format === "uuid" ? "ID" : "String";
    case "number":
      return "Int";
    case "boolean":
      return "Boolean";
    case "enum":
    case "literal":
    case "pipe":
    case "union":
      return "String";
    default:
      return "JSON";
  }
};

/** `tests` of `Run` are `RunTest`s, `items` of `RunPage` are `RunSummary`s. */
const partName = (name: string, field: string): string => {
  if (field === "items" && name.endsWith("Page")) return `${name.slice(0, -4)}Summary`;
  const words = field.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  const joined = words.join("");
  return name + (joined.endsWith("ss") ? joined : joined.replace(/s$/, ""));
};
