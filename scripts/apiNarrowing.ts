/** JSON as it is parsed. */
type Json = Readonly<Record<string, unknown>>;

/** What a client sends may only be asked less of; what it gets may only hold more. */
type Direction = "request" | "response";

type Documents = { readonly released: Json; readonly current: Json };

const METHODS = ["get", "post", "put", "delete"] as const;

/** Bounds that must not grow (`true`) or shrink in what a client sends. */
const BOUNDS = {
  minLength: true,
  minItems: true,
  minimum: true,
  exclusiveMinimum: true,
  maxLength: false,
  maxItems: false,
  maximum: false,
  exclusiveMaximum: false,
} as const;

/**
 * What `current` takes away from the clients of `released` (OpenAPI 3.1 documents): one line for each operation,
 * parameter, field, value or answer that is gone or has become stricter. Empty when every client of the release still works.
 */
export const narrowings = (released: Json, current: Json): string[] => {
  const documents = { released, current };
  return entries(released.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const before = record(item)[method];
      if (before === undefined) return [];
      const now = record(record(current.paths)[path])[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (now === undefined) return [`${name}: is gone`];
      return compareOperation(name, record(before), record(now), documents);
    }),
  );
};

const compareOperation = (
  name: string,
  before: Json,
  now: Json,
  documents: Documents,
): string[] => [
  ...compareParameters(name, before, now, documents),
  ...compareBodies(`${name}: body`, "request", before.requestBody, now.requestBody, documents),
  ...entries(before.responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, response]) => {
      const answer = record(now.responses)[status];
      return answer === undefined
        ? [`${name}: no longer answers ${status}`]
        : compareBodies(`${name}: ${status}`, "response", response, answer, documents);
    }),
];

const compareParameters = (
  name: string,
  before: Json,
  now: Json,
  documents: Documents,
): string[] => {
  const keyOf = (parameter: Json): string => `${parameter.in} parameter ${parameter.name}`;
  const released = list(before.parameters).map((each) => resolve(each, documents.released));
  const current = list(now.parameters).map((each) => resolve(each, documents.current));
  const gone = released.flatMap((parameter) => {
    const same = current.find((each) => keyOf(each) === keyOf(parameter));
    const at = `${name}: ${keyOf(parameter)}`;
    if (!same) return [`${at} is gone`];
    const required = same.required === true && parameter.required !== true;
    return [
      ...(required ? [`${at} is now required`] : []),
      ...compareSchemas(at, "request", parameter.schema, same.schema, documents),
    ];
  });
  const demanded = current
    .filter((parameter) => parameter.required === true)
    .filter((parameter) => !released.some((each) => keyOf(each) === keyOf(parameter)))
    .map((parameter) => `${name}: ${keyOf(parameter)} is new and required`);
  return [...gone, ...demanded];
};

const compareBodies = (
  at: string,
  direction: Direction,
  before: unknown,
  now: unknown,
  documents: Documents,
): string[] => {
  const released = resolve(before, documents.released);
  const current = resolve(now, documents.current);
  const required =
    direction === "request" && current.required === true && released.required !== true;
  return [
    ...(required ? [`${at} is now required`] : []),
    ...entries(released.content).flatMap(([type, media]) => {
      const same = record(current.content)[type];
      return same === undefined
        ? [`${at} as ${type} is gone`]
        : compareSchemas(at, direction, record(media).schema, record(same).schema, documents);
    }),
  ];
};

const compareSchemas = (
  at: string,
  direction: Direction,
  before: unknown,
  now: unknown,
  documents: Documents,
  depth = 0,
): string[] => {
  if (before === undefined || now === undefined || depth > 12) return [];
  const released = resolve(before, documents.released);
  const current = resolve(now, documents.current);
  const deeper = (place: string, one: unknown, other: unknown): string[] =>
    compareSchemas(`${at}${place}`, direction, one, other, documents, depth + 1);

  const problems = [
    ...compareTypes(at, direction, released, current),
    ...compareValues(at, direction, released, current),
    ...(direction === "request" ? compareBounds(at, released, current) : []),
    ...compareRequired(at, direction, released, current),
  ];
  for (const [field, schema] of entries(released.properties)) {
    const same = record(current.properties)[field];
    if (same === undefined) problems.push(`${at}.${field} is gone`);
    else problems.push(...deeper(`.${field}`, schema, same));
  }
  if (released.items !== undefined) problems.push(...deeper("[]", released.items, current.items));
  return problems;
};

const compareTypes = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  const [released, current] = [typesOf(before), typesOf(now)];
  if (released.length === 0 || current.length === 0) return [];
  if (direction === "request") {
    return released
      .filter((type) => !current.includes(type))
      .map((type) => `${at} no longer takes ${type}`);
  }
  return current
    .filter((type) => !released.includes(type))
    .map((type) => `${at} may now be ${type}`);
};

const compareValues = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  if (direction === "response") return [];
  const [released, current] = [valuesOf(before), valuesOf(now)];
  if (!current) return [];
  if (!released) return [`${at} is now limited to some values`];
  return released
    .filter((value) => !current.includes(value))
    .map((value) => `${at} no longer takes ${JSON.stringify(value)}`);
};

const compareBounds = (at: string, before: Json, now: Json): string[] => {
  const stricter = Object.entries(BOUNDS).filter(([bound, growing]) => {
    const [released, current] = [before[bound], now[bound]];
    if (typeof current !== "number") return false;
    if (typeof released !== "number") return true;
    return growing ? current > released : current < released;
  });
  const pattern = now.pattern !== undefined && now.pattern !== before.pattern ? ["pattern"] : [];
  return [...stricter.map(([bound]) => bound), ...pattern].map(
    (bound) => `${at} has a stricter ${bound}`,
  );
};

const compareRequired = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  const [released, current] = [list(before.required), list(now.required)];
  if (direction === "request") {
    return current
      .filter((field) => !released.includes(field))
      .map((field) => `${at}.${field} is now required`);
  }
  return released
    .filter((field) => !current.includes(field) && String(field) in record(now.properties))
    .map((field) => `${at}.${field} may now be missing`);
};

const typesOf = (schema: Json): unknown[] => {
  if (schema.type !== undefined) return Array.isArray(schema.type) ? schema.type : [schema.type];
  return list(schema.anyOf).flatMap((each) => typesOf(record(each)));
};

const valuesOf = (schema: Json): unknown[] | null => {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
};

const resolve = (value: unknown, document: Json): Json => {
  const reference = record(value).$ref;
  if (typeof reference !== "string") return record(value);
  const target = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((at, part) => record(at)[part.replaceAll("~1", "/")], document);
  return record(target);
};

const record = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

const entries = (value: unknown): [string, unknown][] => Object.entries(record(value));

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
