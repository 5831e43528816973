import fc from "fast-check";
import type { DescribedOperation, Parameter } from "./document.ts";
import type { Schema } from "./jsonSchema.ts";
import { damaged, damages, hostileText, valuesOf } from "./values.ts";

/** Callers. The first of each kind has permission. */
export type Caller =
  | "user"
  | "key"
  | "nobody"
  | "otherUser"
  | "otherKey"
  | "expired"
  | "ended"
  | "revoked"
  | "forged"
  | "cookie"
  | "badCookie";

/** The body to send: a value as JSON, or raw bytes. */
export type PlannedBody = { readonly json: unknown } | { readonly raw: string | Buffer } | null;

/** A planned request. Ids are inserted when it is sent. */
export type Plan = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PlannedBody;
  /** A defect of the transmission that is independent of the content. */
  readonly twist: "none" | "badQuery" | "longUrl" | "gzip" | "bodyOnGet";
};

type Refs = (reference: string) => Schema;

/** Generates valid, nearly valid and hostile requests for an operation of openapi.json. */
export const plansFor = (operation: DescribedOperation, refs: Refs): fc.Arbitrary<Plan> => {
  const parameters = operation.parameters ?? [];
  const named = (place: Parameter["in"]) => parameters.filter((each) => each.in === place);
  const good = (parameter: Parameter): fc.Arbitrary<unknown> =>
    valuesOf(parameter.schema, refs, nounOf(operation.path, parameter.name));
  const params = Object.fromEntries(
    named("path").map((each) => [each.name, mostly(12, good(each), hostileText)]),
  );
  const query = Object.fromEntries(
    [
      ...named("query").map((each) => [each.name, mostly(5, good(each), hostileText)] as const),
    ].concat([["unknown", hostileText]]),
  );
  return fc.record({
    caller: callersOf(operation),
    params: fc.record(params),
    query: mostly(2, fc.constant({}), fc.record(query, { requiredKeys: [] })),
    headers: headersOf(operation),
    body: bodiesOf(operation, refs),
    twist: fc.oneof(
      { weight: 40, arbitrary: fc.constant<Plan["twist"]>("none") },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Plan["twist"]>("badQuery", "longUrl", "gzip", "bodyOnGet"),
      },
    ),
  });
};

const mostly = <T>(weight: number, one: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: one }, { weight: 1, arbitrary: other });

/** The kind of id in a path: `/tests/{id}` contains a test's id, `/cli/cloud-runs/{id}` a run's. */
const nounOf = (path: string, parameter: string): string => {
  if (parameter !== "id") return parameter;
  const before = path.split("/{id}", 1)[0]?.split("/").at(-1) ?? "";
  return `${kindOf(before)}_id`;
};

/** The kind of entity in a collection: `api-keys` contains keys, `cloud-runs` runs. */
export const kindOf = (segment: string): string =>
  segment.replace(/^(cloud|api)-/, "").replace(/s$/, "");

const callersOf = ({ security }: DescribedOperation): fc.Arbitrary<Caller> => {
  const schemes = new Set(security.flatMap((each) => Object.keys(each)));
  const good: Caller[] = [];
  if (schemes.has("session")) good.push("user");
  if (schemes.has("apiKey")) good.push("key");
  if (schemes.has("refreshCookie")) good.push(schemes.has("session") ? "cookie" : "badCookie");
  const any: readonly Caller[] = [
    ...["user", "key", "nobody", "otherUser", "otherKey", "expired"],
    ...["ended", "revoked", "forged", "badCookie"],
  ] as Caller[];
  // A request that ends the session would invalidate all following ones.
  const isEnding = good.length === 1 && good[0] === "badCookie";
  const others = fc.constantFrom(...any.filter((caller) => !isEnding || !/user/i.test(caller)));
  return good.length === 0 ? others : mostly(6, fc.constantFrom(...good), others);
};

const printable = hostileText.map((text) => text.replace(/[^\x21-\x7e]/g, "").slice(0, 300));

/** True once in `outOf` cases. */
const sometimes = (values: fc.Arbitrary<string>, outOf = 6): fc.Arbitrary<string | undefined> =>
  mostly<string | undefined>(outOf - 1, fc.constant(undefined), values);

/** Headers of the contract, for operations that declare them and for others. */
const headersOf = (operation: DescribedOperation): fc.Arbitrary<Record<string, string>> => {
  const isRead = operation.method === "GET";
  return fc
    .record({
      // "own" and "other" are replaced by ids of the organisations.
      "x-org-id": sometimes(
        mostly(6, fc.constantFrom("own", "own", "own", "other"), fc.oneof(fc.uuid(), printable)),
      ),
      "if-match": sometimes(
        mostly(3, fc.constantFrom('"1"', "*", 'W/"2"', '"999"', "1", '"1", "2"'), printable),
      ),
      "idempotency-key": sometimes(
        mostly(
          4,
          fc.nat(40).map((nth) => `${operation.operationId}-${nth}`),
          printable,
        ),
      ),
      // A request waits for a future position, so only few use one.
      "x-min-position": isRead
        ? sometimes(
            mostly(
              20,
              fc.constantFrom("0", "1", "17", "-1", "x", "1e3"),
              fc.constantFrom("9223372036854775807", "99999999999999999999"),
            ),
          )
        : fc.constant(undefined),
      "x-request-id": sometimes(printable),
      "content-type": sometimes(
        fc.constantFrom("text/plain", "application/xml", "multipart/form-data", '"', "a/b;charset"),
        30,
      ),
      "x-requested-with": sometimes(fc.constant("fetch")),
      origin: sometimes(fc.constantFrom("https://evil.example", "null", "https://app.example")),
      traceparent: sometimes(printable),
    })
    .map((headers) =>
      Object.fromEntries(
        Object.entries(headers).filter((entry): entry is [string, string] => Boolean(entry[1])),
      ),
    );
};

const rawBodies: readonly (string | Buffer)[] = [
  ...["{", "}", "[]", "null", '""', "0", "{}garbage", "\ufeff{}", '{"a":1,"a":2}', "\0", " "],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}', "NaN", '{"name":1e999}'],
  `{"name":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  `{"name":${"9".repeat(5_000)}}`,
  `{"name":"${"x".repeat(1 << 20)}"}`,
  Buffer.from([0x22, 0xff, 0xfe, 0x22]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
];

const bodiesOf = (operation: DescribedOperation, refs: Refs): fc.Arbitrary<PlannedBody> => {
  if (operation.method === "GET") return fc.constant(null);
  const raw = fc
    .oneof(
      { weight: 3, arbitrary: fc.constantFrom(...rawBodies) },
      { weight: 1, arbitrary: hostileText },
    )
    .map((text): PlannedBody => ({ raw: text }));
  const content = operation.requestBody?.content["application/json"];
  if (!content) return mostly(8, fc.constant<PlannedBody>(null), raw);
  const { schema, example } = content;
  const values = valuesOf(schema, refs);
  const good =
    example === undefined
      ? values
      : fc.oneof(
          values,
          fc.nat(9).map((nth) => adopted(example, nth)),
        );
  const near = fc.tuple(good, damages).map(([value, damage]) => damaged(value, damage));
  return fc.oneof(
    { weight: 6, arbitrary: good.map((json) => ({ json })) },
    { weight: 5, arbitrary: near.map((json) => ({ json })) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

/** An example with ids of existing entities. */
const adopted = (value: unknown, nth: number, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((item) => adopted(item, nth, name));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, adopted(item, nth, key)]),
    );
  }
  const noun = /^(.+?)_ids?$/.exec(name)?.[1];
  return noun !== undefined && typeof value === "string" ? { $wanted: noun, nth } : value;
};
