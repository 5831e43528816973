import type { Json } from "./jsonSchema.ts";

type Paths = Readonly<Record<string, Json>>;

/** Shorter schemas stay inline: a reference would be no shorter. In characters of JSON. */
const SHORTEST = 90;

/** Keywords whose values are schemas by name, lists of schemas, or one schema. */
const MAPS = new Set(["properties", "patternProperties", "$defs"]);
const LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const ONE = new Set(["items", "additionalProperties", "not", "contains", "propertyNames"]);

/**
 * Replaces each schema that occurs more than once by a reference to a component. The component is named after its
 * first occurrence: the property, the list or the path that holds it.
 */
export const withNamedSchemas = (paths: Paths): { paths: Paths; schemas: Json } => {
  const counts = new Map<string, number>();
  eachSchema(paths, (schema) => {
    const key = JSON.stringify(schema);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const repeated = new Set([...counts].filter(([, count]) => count > 1).map(([key]) => key));
  const first = nameSchemas(paths, repeated);
  // A schema inside a component may now occur only there: it stays inline.
  const uses = countReferences([first.paths, first.schemas]);
  for (const [key, name] of first.names) if ((uses.get(name) ?? 0) < 2) repeated.delete(key);
  return nameSchemas(paths, repeated);
};

const nameSchemas = (
  paths: Paths,
  repeated: ReadonlySet<string>,
): { paths: Paths; schemas: Json; names: ReadonlyMap<string, string> } => {
  const names = new Map<string, string>();
  const schemas: Json = {};
  const replace = (schema: unknown, hints: readonly string[]): unknown => {
    if (!isObject(schema)) return schema;
    const key = JSON.stringify(schema);
    if (!repeated.has(key) || !isWorthNaming(schema, key)) return inner(schema, hints);
    const known = names.get(key);
    if (known !== undefined) return { $ref: `#/components/schemas/${known}` };
    const format = formatNames.get(schema.format);
    const name = freeName(format === undefined ? hints : [...hints, format], schemas);
    names.set(key, name);
    schemas[name] = {}; // Reserves the name while nested schemas are named.
    schemas[name] = inner(schema, [name]);
    return { $ref: `#/components/schemas/${name}` };
  };
  const inner = (schema: Json, hints: readonly string[]): Json =>
    mapSchemas(schema, (nested, key) => replace(nested, key === null ? hints : [...hints, key]));
  const named = mapRoots(paths, replace);
  return { paths: named, schemas: sorted(schemas), names };
};

/** Objects, enumerations and the formats with long patterns. Other schemas read better inline. */
const isWorthNaming = (schema: Json, key: string): boolean =>
  key.length >= SHORTEST &&
  (isObject(schema.properties) || Array.isArray(schema.enum) || formatNames.has(schema.format));

const formatNames: ReadonlyMap<unknown, string> = new Map([
  ["uuid", "Id"],
  ["date-time", "Timestamp"],
  ["email", "Email"],
]);

/** The innermost hint alone, else with the hints around it, else with a number. */
const freeName = (hints: readonly string[], taken: Json): string => {
  for (let from = hints.length - 1; from >= 0; from -= 1) {
    const name = hints.slice(from).map(pascalCase).join("");
    if (name !== "" && name !== "Error" && !(name in taken)) return name;
  }
  const base = hints.map(pascalCase).join("");
  let number = 2;
  while (`${base}${number}` in taken) number += 1;
  return `${base}${number}`;
};

/** Applies `change` to the schemas directly inside a schema. The key is null where the schema has no name of its own. */
const mapSchemas = (schema: Json, change: (schema: unknown, key: string | null) => unknown): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (MAPS.has(keyword) && isObject(value)) {
        const fields = Object.entries(value).map(([key, field]) => [
          key,
          change(field, singularOf(key, field)),
        ]);
        return [keyword, Object.fromEntries(fields)];
      }
      if (LISTS.has(keyword) && Array.isArray(value)) {
        return [keyword, value.map((each) => change(each, null))];
      }
      return [keyword, ONE.has(keyword) && isObject(value) ? change(value, null) : value];
    }),
  );

/** `steps` names its items' schema `step`; the list itself is rarely repeated. */
const singularOf = (key: string, field: unknown): string =>
  isObject(field) && field.type === "array" ? singular(key) : key;

const singular = (word: string): string =>
  word.replace(/ies$/, "y").replace(/(ss|us|is)$|(?<=[^s])s$/, "$1");

/** Applies `change` to every schema of the paths that is not inside another, with the names that suit it. */
const mapRoots = (
  paths: Paths,
  change: (schema: unknown, hints: readonly string[]) => unknown,
): Paths =>
  mapEntries(paths, (methods, path) =>
    mapEntries(methods as Json, (operation) =>
      mapOperation(operation as Json, nounOf(path), change),
    ),
  );

const mapOperation = (
  operation: Json,
  noun: string,
  change: (schema: unknown, hints: readonly string[]) => unknown,
): Json => {
  const contents = (holder: unknown, hints: readonly string[]): unknown =>
    isObject(holder) && isObject(holder.content)
      ? {
          ...holder,
          content: mapEntries(holder.content, (media) =>
            isObject(media) && media.schema !== undefined
              ? { ...media, schema: change(media.schema, hints) }
              : media,
          ),
        }
      : holder;
  const { parameters, requestBody, responses } = operation;
  const operationId = String(operation.operationId);
  return {
    ...operation,
    ...(Array.isArray(parameters) && {
      parameters: parameters.map((each: Json) =>
        each.schema === undefined
          ? each
          : { ...each, schema: change(each.schema, [noun, String(each.name)]) },
      ),
    }),
    ...(requestBody !== undefined && {
      requestBody: contents(requestBody, [`${operationId}Body`]),
    }),
    ...(isObject(responses) && {
      responses: mapEntries(responses, (response) => contents(response, [operationId, noun])),
    }),
  };
};

/** The resource that a path is about: its last fixed segment, in the singular. */
const nounOf = (path: string): string =>
  singular(
    path
      .split("/")
      .filter((part) => part !== "" && !part.startsWith("{"))
      .at(-1) ?? "",
  );

const eachSchema = (paths: Paths, visit: (schema: Json) => void): void => {
  const walk = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema;
    visit(schema);
    return mapSchemas(schema, walk);
  };
  mapRoots(paths, walk);
};

const countReferences = (documents: readonly unknown[]): Map<string, number> => {
  const uses = new Map<string, number>();
  for (const [, name] of JSON.stringify(documents).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return uses;
};

const mapEntries = (
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key) as Json]),
  );

const sorted = (record: Json): Json =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

const pascalCase = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
