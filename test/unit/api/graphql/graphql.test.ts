import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Services } from "../../../../src/api/services.ts";
import { buildFakeApp, organizationId } from "../fakeApp.ts";

const mine = "0190c4f0-0000-7000-8000-0000000000f1";
const foreign = "0190c4f0-0000-7000-8000-0000000000f2";
const broken = "0190c4f0-0000-7000-8000-0000000000f3";

let looked = 0;
const findRun = async (id: string) => {
  looked += 1;
  if (id === broken) throw new Error("syntax error near hunter2");
  const owner = { [mine]: organizationId, [foreign]: "0190c4f0-0000-7000-8000-0000000000ee" }[id];
  return owner ? { id, organizationId: owner, status: "passed", totals: { passed: 1 } } : null;
};

let app: FastifyInstance;
beforeEach(async () => {
  looked = 0;
  app = await buildFakeApp({
    services: {
      runs: { queries: { findRun } },
      config: { development: true },
    } as unknown as Services,
  });
});
afterEach(() => app.close());

const ask = (payload: object, headers: Record<string, string> = { authorization: "Bearer key" }) =>
  app.inject({ method: "POST", url: "/api/v1/graphql", headers, payload });

const runQuery = "query Run($id: ID!) { run(id: $id) { id status totals { passed } } }";

describe("POST /graphql", () => {
  it("returns a run of the caller's organisation", async () => {
    const response = await ask({ query: runQuery, variables: { id: mine } });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      data: { run: { id: mine, status: "passed", totals: { passed: 1 } } },
    });
    expect(response.headers["x-frame-options"]).toBe("DENY");
  });

  it.each([organizationId, "nonsense"])("returns null for an unknown run (%s)", async (id) => {
    expect((await ask({ query: runQuery, variables: { id } })).json().data).toEqual({ run: null });
  });

  it("refuses a run of another organisation and hides internal errors", async () => {
    const refused = (await ask({ query: runQuery, variables: { id: foreign } })).json();
    expect(refused.data.run).toBeNull();
    expect(refused.errors[0].message).toContain("another organisation");
    const failed = await ask({ query: runQuery, variables: { id: broken } });
    expect(failed.json().errors).toHaveLength(1);
    expect(failed.body).not.toContain("hunter2");
  });

  it.each([
    runQuery,
    `query Run($id: ID!, $brief: Boolean = false) {
      one: run(id: $id) { ...Short totals @skip(if: $brief) { passed } }
      two: run(id: $id) @include(if: $brief) { __typename status }
    }
    fragment Short on Run { id status }`,
  ])("returns the same answer before and after a query is compiled (%#)", async (query) => {
    for (const variables of [
      ...[mine, foreign, broken, "nonsense", null].map((id) => ({ id })),
      ...[mine, foreign].map((id) => ({ id, brief: true })),
    ]) {
      const first = (await ask({ query, variables })).json();
      for (let n = 0; n < 30; n += 1)
        expect((await ask({ query, variables })).json()).toEqual(first);
    }
  });

  it("executes the named operation of a compiled query and rejects an unknown name", async () => {
    const query = `query Id { run(id: "${mine}") { id } } query Status { run(id: "${mine}") { status } }`;
    const named = async (operationName?: string) =>
      (await ask({ query, ...(operationName !== undefined && { operationName }) })).json();
    for (let n = 0; n < 15; n += 1) expect((await named("Id")).data.run).toEqual({ id: mine });
    for (let n = 0; n < 15; n += 1)
      expect((await named("Status")).data.run).toEqual({ status: "passed" });
    for (const name of ["Nobody", "", 'Id"\n} query X { run(id: "1") { id } }', undefined]) {
      const refused = await named(name);
      expect(refused.data ?? null).toBeNull();
      expect(refused.errors).toHaveLength(1);
    }
    const one = { query: `query Only { run(id: "${mine}") { id } }` };
    for (let n = 0; n < 15; n += 1) expect((await ask(one)).json().data.run).toEqual({ id: mine });
    expect((await ask({ ...one, operationName: "Other" })).json().data ?? null).toBeNull();
  });

  it("answers 400 for missing or invalid variables, also while a query is compiled", async () => {
    for (let n = 0; n < 10; n += 1) {
      expect((await ask({ query: runQuery, variables: { id: mine } })).statusCode).toBe(200);
    }
    for (const wrong of [{ variables: { id: null } }, { variables: {} }, {}]) {
      const refused = await ask({ query: runQuery, ...wrong });
      expect([refused.statusCode, refused.json().data]).toEqual([400, null]);
      expect(refused.json().errors).toHaveLength(1);
    }
  });

  it("returns errors for a query of an unknown field", async () => {
    const response = await ask({ query: "{ nothing }" });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors[0].message).toContain("nothing");
  });

  it("supports introspection in development", async () => {
    const { getIntrospectionQuery } = await import("graphql");
    const response = await ask({ query: getIntrospectionQuery() });
    expect(response.json().data?.__schema.queryType.name).toBe("Query");
  });

  it.each([
    ["no credential", { query: runQuery }, {}, 401],
    ["no query", {}, undefined, 422],
    ["a query that does not parse", { query: "{ run(" }, undefined, 400],
    [
      "too many aliases",
      {
        query: `{ ${[1, 2, 3, 4, 5, 6].map((n) => `r${n}: run(id: "${mine}") { id }`).join(" ")} }`,
      },
      undefined,
      400,
    ],
  ])("answers {detail} for %s", async (_, payload, headers, status) => {
    const response = await ask(payload, headers);
    expect(response.statusCode).toBe(status);
    expect(Object.keys(response.json())).toEqual(["detail"]);
  });

  /** Everything that there is about a run. */
  const whole = `{ id project_id status triggered_by queued_at started_at finished_at duration_ms sequence
    totals { passed failed flaky errored cancelled }
    tests { test_id name execution_id status duration_ms steps_done steps_total error
      attempts { number status error duration_ms } browsers { browser status duration_ms } }
    created_at updated_at version }`;
  const times = (count: number, of: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => of(n)).join(" ");

  it("returns all data of five runs in one query", async () => {
    const query = `{ ${times(5, (n) => `r${n}: run(id: "${organizationId}") ${whole}`)} }`;
    expect((await ask({ query })).statusCode).toBe(200);
  });

  it.each([
    [
      "runs behind one fragment",
      `{ ${times(6, (n) => `...F${n}`)} } ${times(6, (n) => `fragment F${n} on Query { r${n}: run(id: "x") { id } }`)}`,
    ],
    [
      "runs in a fragment spread under aliases",
      `{ ${times(2, (n) => `...F${n} `)} } ${times(2, (n) => `fragment F${n} on Query { ...G${n} } fragment G${n} on Query { ${times(3, (m) => `r${n}${m}: run(id: "x") { id }`)} }`)}`,
    ],
    [
      "fragments that hold nothing",
      `{ ${times(60, (n) => `...F${n}`)} } ${times(60, (n) => `fragment F${n} on Query { __typename }`)}`,
    ],
    [
      "spreads of one fragment",
      `{ ${times(301, () => "...F")} } fragment F on Query { run(id: "x") { id } }`,
    ],
    ["operations", times(51, (n) => `query Q${n} { __typename }`)],
    ["fields", `{ run(id: "x") { ${times(301, (n) => `f${n}: id`)} } }`],
    [
      "aliases of lists",
      `{ run(id: "x") { ${times(8, (n) => `t${n}: tests { attempts { ${times(10, (m) => `a${m}: status`)} } }`)} } }`,
    ],
    [
      "fragments that double",
      `{ run(id: "x") { tests { ...F0 } } } ${times(12, (n) => `fragment F${n} on RunTest { a${n}: attempts { number } b${n}: attempts { number } ...F${n + 1} ...F${n + 1} }`)} fragment F12 on RunTest { name }`,
    ],
    [
      "fragments that double under aliases",
      `{ __schema { ...F0 } } ${times(18, (n) => `fragment F${n} on __Type { a: ofType { ...F${n + 1} } b: ofType { ...F${n + 1} } }`)} fragment F18 on __Type { name }`,
    ],
    [
      "a fragment that holds itself",
      `{ run(id: "x") { ...F } } fragment F on Run { ...G } fragment G on Run { ...F }`,
    ],
    ["levels", `{ run(id: "x") { ${"a { ".repeat(20)} b ${"} ".repeat(20)} } }`],
    [
      "levels behind fragments",
      `{ run(id: "x") { ...F0 } } ${times(25, (n) => `fragment F${n} on Run { a { ...F${n + 1} } }`)} fragment F25 on Run { id }`,
    ],
    [
      "types of types",
      `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`,
    ],
    [
      "types of types behind a fragment",
      `{ __schema { types { fields { type { ...F } } } } } fragment F on __Type { possibleTypes { name } }`,
    ],
    ["tokens", `{ ${"a ".repeat(5_001)} }`],
    ["nesting of values", `{ run(id: ${"[".repeat(2_400)}${"]".repeat(2_400)}) { id } }`],
    [
      "operations at once",
      times(2, (n) => `query Q${n} { ${times(6, (m) => `r${m}: run(id: "x") { id }`)} }`),
    ],
  ])("answers 400 for too many or too large %s before any lookup", async (_, query) => {
    const response = await ask({ query });
    expect(response.statusCode).toBe(400);
    expect(response.json().data ?? null).toBeNull();
    expect(looked).toBe(0);
  });

  it.each([
    ["a batch", [{ query: "{ run(id: 1) { id } }" }]],
    ["a query that is no text", { query: { a: 1 } }],
    ["a query of 20,001 letters", { query: "#".repeat(20_001) }],
    ["variables that are a list", { query: runQuery, variables: [] }],
    ["a field that it does not know", { query: runQuery, persisted: "x" }],
  ])("answers 422 for %s", async (_, payload) => {
    const response = await ask(payload);
    expect([response.statusCode, Object.keys(response.json())]).toEqual([422, ["detail"]]);
  });

  it.each([
    ["a mutation", { query: "mutation { run }" }],
    ["a subscription", { query: "subscription { run }" }],
    ["no such operation", { query: "query A { run(id: 1) { id } }", operationName: "B" }],
    ["a variable that is missing", { query: runQuery }],
    ["a fragment that there is not", { query: "{ ...F }" }],
    ["a fragment alone", { query: "fragment F on Run { id }" }],
  ])("answers 4xx without a stack trace for %s", async (_, payload) => {
    const response = await ask(payload);
    expect([200, 400]).toContain(response.statusCode);
    expect(response.json().errors).not.toHaveLength(0);
    expect(response.json().data ?? null).toBeNull();
    expect(response.body).not.toMatch(/node_modules|\.js|\.ts|stack/);
  });

  it("answers introspection of an authenticated caller outside development", async () => {
    const shut = await buildFakeApp({ services: { config: {} } as unknown as Services });
    const payload = { query: "{ __schema { queryType { name } } }" };
    const asking = (headers: Record<string, string>) =>
      shut.inject({ method: "POST", url: "/api/v1/graphql", headers, payload });
    expect((await asking({ authorization: "Bearer key" })).json().data).toEqual({
      __schema: { queryType: { name: "Query" } },
    });
    expect((await asking({})).statusCode).toBe(401);
    await shut.close();
  });

  it.each([
    ["things at its top", `{ ${times(6, (n) => `p${n}: plan { plan }`)} }`],
    [
      "pages within pages",
      `{ runs { items { executions { ${times(12, (n) => `e${n}: id`)} } } } }`,
    ],
  ])("answers 400 for too many %s", async (_, query) => {
    const response = await ask({ query });
    expect([response.statusCode, response.json().detail]).toEqual([
      400,
      expect.stringContaining("is too expensive"),
    ]);
  });

  it("accepts POST only", async () => {
    const response = await app.inject({ url: "/api/v1/graphql?query={run}" });
    expect(response.statusCode).toBe(405);
  });
});
