/** JSON as it is parsed. */
type Json = Readonly<Record<string, unknown>>;

/** Schemas of requests may only become wider, schemas of responses only narrower. */
type Direction = "request" | "response";

type Documents = { readonly released: Json; readonly current: Json };

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"] as const;

/** Schemas within schemas, further than any of ours. */
const MAX_DEPTH = 40;

/** Bounds of request schemas that must not grow (`true`) or shrink. */
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
 * Lists the incompatible changes from `released` to `current` (OpenAPI 3.1 documents): one line for each operation,
 * parameter, credential, field, value, header or response that was removed or became stricter. Empty if every client of
 * the release still works.
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
  ...(before.operationId === now.operationId
    ? []
    : [`${name}: is no longer called ${before.operationId}`]),
  ...compareCredentials(name, before, now),
  ...compareParameters(name, before, now, documents),
  ...compareBodies(`${name}: body`, "request", before.requestBody, now.requestBody, documents),
  ...entries(before.responses).flatMap(([status, response]) => {
    const answer = record(now.responses)[status];
    return answer === undefined
      ? [`${name}: no longer answers ${status}`]
      : compareAnswers(`${name}: ${status}`, response, answer, documents);
  }),
];

/** Each accepted credential must stay accepted; an operation without authentication must stay so. */
const compareCredentials = (name: string, before: Json, now: Json): string[] => {
  const [released, current] = [waysIn(before), waysIn(now)];
  if (current.length === 0) return [];
  if (released.length === 0) return [`${name}: now asks for a credential`];
  return released
    .filter((way) => !current.includes(way))
    .map((way) => `${name}: no longer takes the credential ${way}`);
};

const waysIn = ({ security }: Json): string[] =>
  list(security).map((each) => Object.keys(record(each)).sort().join(" and "));

const compareAnswers = (
  at: string,
  before: unknown,
  now: unknown,
  documents: Documents,
): string[] => {
  const [released, current] = [
    resolve(before, documents.released),
    resolve(now, documents.current),
  ];
  const headers = Object.keys(record(released.headers));
  const kept = Object.keys(record(current.headers));
  return [
    ...headers
      .filter((header) => !kept.includes(header))
      .map((header) => `${at}: ${header} is gone`),
    ...compareBodies(at, "response", before, now, documents),
  ];
};

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
  trail: readonly string[] = [],
): string[] => {
  const step = `${record(before).$ref} ${record(now).$ref}`;
  if (record(before).$ref !== undefined && trail.includes(step)) return [];
  if (trail.length > MAX_DEPTH) return [`${at} is too deep to be compared`];
  const released = resolve(before, documents.released);
  const current = resolve(now, documents.current);
  // A file promises nothing about its content.
  if (direction === "response" && released.format === "binary") return [];
  const compare = (place: string, one: unknown, other: unknown): string[] =>
    compareSchemas(`${at}${place}`, direction, one, other, documents, [...trail, step]);

  const [forms, formsNow] = [
    formsOf(released, documents.released),
    formsOf(current, documents.current),
  ];
  if (forms.length > 1 || formsNow.length > 1) {
    return compareForms(at, direction, forms, formsNow, compare);
  }
  return compareForm(at, direction, forms[0] ?? {}, formsNow[0] ?? {}, compare);
};

type Compare = (place: string, one: unknown, other: unknown) => string[];

/**
 * Each released form of a request must still match a current form; each current form of a response must match a
 * released one. A single differing form is compared field by field, to report the location.
 */
const compareForms = (
  at: string,
  direction: Direction,
  released: readonly Json[],
  current: readonly Json[],
  compare: Compare,
): string[] => {
  const [needed, offered] = direction === "request" ? [released, current] : [current, released];
  const problems = needed.flatMap((form) => {
    const inEach = offered.map((other) =>
      direction === "request"
        ? compareForm(at, direction, form, other, compare)
        : compareForm(at, direction, other, form, compare),
    );
    if (inEach.some((found) => found.length === 0)) return [];
    const ofItsKind = offered.findIndex((other) => sharesType(form, other));
    const closest = inEach[ofItsKind];
    if (closest) return closest;
    const kind = typesOf(form).join(" or ") || "a form that it had not";
    return [direction === "request" ? `${at} no longer takes ${kind}` : `${at} may now be ${kind}`];
  });
  return [...new Set(problems)];
};

const sharesType = (one: Json, other: Json): boolean =>
  typesOf(one).some((type) => typesOf(other).includes(type));

const compareForm = (
  at: string,
  direction: Direction,
  released: Json,
  current: Json,
  compare: Compare,
): string[] => {
  const problems = [
    ...compareTypes(at, direction, released, current),
    ...compareValues(at, direction, released, current),
    ...compareFormats(at, direction, released, current),
    ...(direction === "request" ? compareBounds(at, released, current) : []),
    ...compareRequired(at, direction, released, current),
    ...compareOthers(at, direction, released, current, compare),
  ];
  for (const [field, schema] of entries(released.properties)) {
    const same = record(current.properties)[field];
    if (same === undefined) problems.push(`${at}.${field} is gone`);
    else problems.push(...compare(`.${field}`, schema, same));
  }
  if (released.items !== undefined || current.items !== undefined) {
    problems.push(...compare("[]", released.items ?? {}, current.items ?? {}));
  }
  return problems;
};

/** Fields without a name: values of maps, and fields that a closed object rejects. */
const compareOthers = (
  at: string,
  direction: Direction,
  released: Json,
  current: Json,
  compare: Compare,
): string[] => {
  const [before, now] = [released.additionalProperties ?? {}, current.additionalProperties ?? {}];
  if (direction === "request") {
    if (now === false && before !== false) return [`${at} no longer takes other fields`];
    const names = current.propertyNames;
    return [
      ...(before === false || isEmpty(now) ? [] : compare(".*", before, now)),
      ...(names === undefined ? [] : compare(": name", released.propertyNames ?? {}, names)),
    ];
  }
  // A response may gain fields, unless the released schema fixes the type of additional fields.
  if (isEmpty(before)) return [];
  return now === false ? [] : compare(".*", before, now);
};

const isEmpty = (schema: unknown): boolean => Object.keys(record(schema)).length === 0;

const compareTypes = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  const [released, current] = [typesOf(before), typesOf(now)];
  if (direction === "request") {
    if (current.length === 0) return [];
    if (released.length === 0) return [`${at} is now limited to ${current.join(" or ")}`];
    return released
      .filter((type) => !takesType(current, type))
      .map((type) => `${at} no longer takes ${type}`);
  }
  if (released.length === 0) return [];
  if (current.length === 0) return [`${at} may now be anything`];
  return current
    .filter((type) => !takesType(released, type))
    .map((type) => `${at} may now be ${type}`);
};

const takesType = (types: readonly unknown[], type: unknown): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

const compareValues = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  const [released, current] = [valuesOf(before), valuesOf(now)];
  if (direction === "response") {
    // More values may come with time; one that means the same must not be written in another way.
    if (!released || !current) return [];
    return released.some((value) => current.includes(value))
      ? []
      : [`${at} is no longer ${released.map((value) => JSON.stringify(value)).join(" or ")}`];
  }
  if (!current) return [];
  if (!released) return [`${at} is now limited to some values`];
  return released
    .filter((value) => !current.includes(value))
    .map((value) => `${at} no longer takes ${JSON.stringify(value)}`);
};

const compareFormats = (at: string, direction: Direction, before: Json, now: Json): string[] => {
  if (before.format === now.format) return [];
  const [loose, tight] = direction === "request" ? [before, now] : [now, before];
  if (tight.format === undefined) return [];
  return direction === "request"
    ? [`${at} must now be a ${tight.format}`]
    : [`${at} may now be ${loose.format ?? "text"}, not a ${tight.format}`];
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

/** The alternatives of a schema, from `type: [x, null]` and from `anyOf`. */
const formsOf = (schema: Json, document: Json): readonly Json[] => {
  const branches = list(schema.anyOf ?? schema.oneOf);
  if (branches.length > 0) {
    return branches.flatMap((branch) => formsOf(resolve(branch, document), document));
  }
  return Array.isArray(schema.type) && schema.type.length > 1
    ? schema.type.map((type) => (type === "null" ? { type } : { ...schema, type }))
    : [schema];
};

const typesOf = (schema: Json): unknown[] =>
  schema.type === undefined ? [] : Array.isArray(schema.type) ? schema.type : [schema.type];

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
