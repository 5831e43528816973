import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Services } from "../../../src/api/services.ts";
import { buildFakeApp, organizationId } from "./fakeApp.ts";

const mine = "0190c4f0-0000-7000-8000-0000000000f1";
const foreign = "0190c4f0-0000-7000-8000-0000000000f2";
const broken = "0190c4f0-0000-7000-8000-0000000000f3";

const findRun = async (id: string) => {
  if (id === broken) throw new Error("syntax error near hunter2");
  const owner = { [mine]: organizationId, [foreign]: "0190c4f0-0000-7000-8000-0000000000ee" }[id];
  return owner ? { id, organizationId: owner, status: "passed", totals: { passed: 1 } } : null;
};

let app: FastifyInstance;
beforeEach(async () => {
  app = await buildFakeApp({ services: { runs: { queries: { findRun } } } as unknown as Services });
});
afterEach(() => app.close());

const ask = (payload: object, headers: Record<string, string> = { authorization: "Bearer key" }) =>
  app.inject({ method: "POST", url: "/api/v1/graphql", headers, payload });

const runQuery = "query Run($id: ID!) { run(id: $id) { id status totals { passed } } }";

describe("POST /graphql", () => {
  it("answers a run of the caller's organisation", async () => {
    const response = await ask({ query: runQuery, variables: { id: mine } });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      data: { run: { id: mine, status: "passed", totals: { passed: 1 } } },
    });
    expect(response.headers["x-frame-options"]).toBe("DENY");
  });

  it.each([organizationId, "nonsense"])("answers null for an unknown run (%s)", async (id) => {
    expect((await ask({ query: runQuery, variables: { id } })).json().data).toEqual({ run: null });
  });

  it("refuses another organisation's run, and tells nothing of a fault", async () => {
    const refused = (await ask({ query: runQuery, variables: { id: foreign } })).json();
    expect(refused.data.run).toBeNull();
    expect(refused.errors[0].message).toContain("another organisation");
    const failed = await ask({ query: runQuery, variables: { id: broken } });
    expect(failed.json().errors).toHaveLength(1);
    expect(failed.body).not.toContain("hunter2");
  });

  it("answers {errors} for a parsed query that asks for what is not there", async () => {
    const response = await ask({ query: "{ nothing }" });
    expect(response.statusCode).toBe(400);
    expect(response.json().errors[0].message).toContain("nothing");
  });

  it("answers introspection, so that tools can read the schema", async () => {
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
  ])("given %s answers {detail}", async (_, payload, headers, status) => {
    const response = await ask(payload, headers);
    expect(response.statusCode).toBe(status);
    expect(Object.keys(response.json())).toEqual(["detail"]);
  });

  it("is by POST alone", async () => {
    const response = await app.inject({ url: "/api/v1/graphql?query={run}" });
    expect(response.statusCode).toBe(405);
  });
});
