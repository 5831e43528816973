import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { errorStatusesOf } from "../../src/api/openapi.ts";
import type { Operation } from "../../src/api/operation.ts";
import { operations } from "../../src/api/routes/index.ts";
import { call, type Reply } from "../support/client.ts";
import {
  makeOrganization,
  type Organization,
  pathOf,
  requests,
  type ValidRequest,
} from "../support/requests.ts";
import { startTestService, type TestService } from "../support/service.ts";

/** The same requests each time; another seed by FUZZ_SEED. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_251_121);
const PER_OPERATION = 36;
const AT_ONCE = 8;

const texts = [
  ..."\0 \ud800 \u202e 💥 __proto__ constructor %00 %zz ../../etc/passwd '; -1 0 0.5 1e309 NaN".split(
    " ",
  ),
  ...["", " ", "2147483648", "9007199254740993", "9".repeat(400), "a".repeat(9_000), "null", "[]"],
  ...["file:///etc/passwd", "javascript:alert(1)", "http://[::1", "ann@example.test\r\nBcc: x@y.z"],
  ...["9999-12-31T23:59:59-12:00", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z"],
  ...["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"],
];
const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);

const hostileText = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "binary" }));
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(null, true, -1, 0, 0.5, 2 ** 31, 2 ** 53, 1e308, [], {}, deep),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 5 }) },
);

/** What is done to a request that would be good. */
type Change =
  | { readonly on: "params" | "query"; readonly name: string; readonly value: string }
  | { readonly on: "body"; readonly at: number; readonly value: unknown }
  | { readonly on: "bodyText"; readonly value: string }
  | { readonly on: "header"; readonly name: string; readonly value: string }
  | { readonly on: "nothing" };

const printable = fc
  .oneof(fc.constantFrom(...texts), fc.string())
  .map((text) => text.replace(/[^\x21-\x7e]/g, "").slice(0, 500));

const changeOf = (operation: Operation): fc.Arbitrary<Change> => {
  const named = (on: "params" | "query", names: readonly string[]) =>
    fc.record({ on: fc.constant(on), name: fc.constantFrom(...names), value: hostileText });
  const header = fc.record({
    on: fc.constant("header" as const),
    name: fc.constantFrom(
      "if-match",
      "x-org-id",
      "content-type",
      "x-request-id",
      "idempotency-key",
    ),
    value: printable,
  });
  const choices: fc.Arbitrary<Change>[] = [
    fc.constant({ on: "nothing" }),
    header,
    named("query", [...namesIn(operation.query), "unknown"]),
  ];
  if (operation.params) choices.push(named("params", namesIn(operation.params)));
  const body = fc.record({ on: fc.constant("body" as const), at: fc.nat(), value: hostile });
  if (operation.body) choices.push(body, body, body);
  if (operation.method !== "GET") {
    const text = fc.oneof(hostileText, fc.constantFrom("{", '{"__proto__":1}', "\ufeff{}", "[]"));
    choices.push(fc.record({ on: fc.constant("bodyText" as const), value: text }));
  }
  return fc.oneof(...choices);
};

/** The names of a schema's fields. `wait` is left alone: it would hold the test up as it should. */
const namesIn = (schema: z.ZodType | undefined): string[] => {
  if (!schema) return [];
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  return Object.keys(properties).filter((name) => name !== "wait");
};

type Place = { readonly parent: Record<string, unknown>; readonly key: string };

/** Every place of a body where something stands, and one more where nothing did. */
const placesIn = (value: unknown): Place[] => {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Record<string, unknown>;
  const inside = Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
  return Array.isArray(value) ? inside : [...inside, { parent, key: "unknown" }];
};

const withBody = (body: unknown, { at, value }: Extract<Change, { on: "body" }>): unknown => {
  const changed = structuredClone(body);
  const places = placesIn(changed);
  const index = at % (places.length + 1);
  const place = places[index];
  if (!place) return value;
  if (at % 7 === 0) delete place.parent[place.key];
  else place.parent[place.key] = value;
  return changed;
};

/** In a URL nothing but bytes can stand. */
const encodable = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

describe("hostile requests", () => {
  let service: TestService;
  let own: Organization;
  beforeAll(async () => {
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    own = await makeOrganization(service);
  });
  afterAll(() => service?.stop());

  const send = async (operation: Operation, change: Change): Promise<Reply> => {
    const byCookie = operation.auth === "refreshCookie";
    // A session is used up: what is wrong with the rest shows without one too.
    const valid: ValidRequest = byCookie
      ? {}
      : ((await requests[operation.id]?.valid?.(own)) ?? {});
    const value = change.on === "params" || change.on === "query" ? encodable(change.value) : "";
    const params = Object.fromEntries(
      Object.entries(valid.params ?? {}).map(([name, text]) => [name, encodeURIComponent(text)]),
    );
    if (change.on === "params") params[change.name] = encodeURIComponent(value);
    const query = {
      ...valid.query,
      ...(change.on === "query" ? { [change.name]: value } : {}),
    };
    const body =
      change.on === "body"
        ? withBody(valid.body, change)
        : change.on === "bodyText"
          ? change.value
          : valid.body;
    const headers: Record<string, string> = byCookie ? { "x-requested-with": "fetch" } : {};
    if (change.on === "header") headers[change.name] = change.value;
    return call(service.url, operation.method, pathOf(operation.path, { params, query }), {
      ...(body === undefined ? {} : { body }),
      ...(operation.auth === "session"
        ? { bearer: own.account.accessToken }
        : operation.permission === "organization:manage"
          ? { bearer: own.account.accessToken }
          : { bearer: own.key }),
      ...(byCookie ? { cookie: "refresh_token=nonsense" } : {}),
      headers,
    });
  };

  const problemOf = (operation: Operation, { status, body }: Reply): string | null => {
    const said = [...Object.keys(operation.responses).map(Number), ...errorStatusesOf(operation)];
    if (status >= 500) return "a fault";
    if (!said.includes(status)) return "a status that openapi.json does not name";
    if (status >= 400) {
      const parsed = z.strictObject({ detail: z.string().min(1) }).safeParse(body);
      return parsed.success ? null : "an error that is not {detail}";
    }
    const response = operation.responses[status];
    if (!response || !("_zod" in response)) return null;
    const parsed = response.safeParse(body);
    if (!parsed.success) return `an answer that does not fit: ${parsed.error.message}`;
    return JSON.stringify(parsed.data) === JSON.stringify(body) ? null : "more than its schema";
  };

  it(`are answered as the API says, none with a fault (seed ${SEED})`, async () => {
    const all = operations.flatMap((operation) =>
      fc
        .sample(changeOf(operation), { seed: SEED, numRuns: PER_OPERATION })
        .map((change) => ({ operation, change })),
    );
    const problems: string[] = [];
    const statuses = new Map<number, number>();
    const next = all.values();
    const work = async () => {
      for (const { operation, change } of next) {
        const reply = await send(operation, change);
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        const problem = problemOf(operation, reply);
        if (problem === null) continue;
        const request = `${operation.id} with ${JSON.stringify(change).slice(0, 200)}`;
        const answer = `${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`;
        problems.push(`${problem}: ${request} was answered ${answer}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(problems).toEqual([]);
    // It would say nothing if all were refused for one reason.
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining([200, 201, 202, 400, 404, 415, 422]),
    );
    expect(all.length).toBeGreaterThan(1_500);
  });
});
