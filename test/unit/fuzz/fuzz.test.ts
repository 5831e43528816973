import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "../../../src/api/openapi/index.ts";
import { operations } from "../../../src/api/routes/index.ts";
import { type Document, operationsIn, refsOf } from "../../support/fuzz/document.ts";
import { problemsOf, type Schema } from "../../support/fuzz/jsonSchema.ts";
import { judge } from "../../support/fuzz/judge.ts";
import type { Answer } from "../../support/fuzz/send.ts";
import { damaged, damages, isWanted, valuesOf } from "../../support/fuzz/values.ts";

const document = buildOpenApi(operations) as unknown as Document;
const refs = refsOf(document);
const described = operationsIn(document);
const named = (id: string) => {
  const found = described.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`There is no ${id}`);
  return found;
};

const filled = (value: unknown): unknown => {
  if (isWanted(value)) {
    return value.$wanted === "email" ? "a@b.example" : "0190c4f0-0000-7000-8000-000000000001";
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]));
};

describe("generated requests", () => {
  // A form with a file has no JSON: what is damaged of it is up to its own suite. GraphQL's `variables` and
  // `extensions` may contain any JSON, so that most damage to its body leaves it valid.
  const withBody = described.filter(({ requestBody }) => requestBody?.content["application/json"]);
  it.each(withBody.map((operation) => [operation.operationId, operation] as const))(
    "contain bodies for %s that its schema accepts, and damaged ones that it mostly rejects",
    (_, operation) => {
      const schema = operation.requestBody?.content["application/json"]?.schema ?? {};
      const values = valuesOf(schema, refs);
      let refused = 0;
      fc.assert(
        fc.property(values, damages, (value, damage) => {
          expect(problemsOf(schema, filled(value), refs)).toEqual([]);
          if (problemsOf(schema, filled(damaged(value, damage)), refs).length > 0) refused += 1;
        }),
        { numRuns: 50 },
      );
      expect(refused).toBeGreaterThan(operation.operationId === "queryGraphql" ? 1 : 10);
    },
  );
});

describe("the JSON schema validator", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid", pattern: "^[0-9a-f-]{36}$" },
      count: { type: "integer", minimum: 0, maximum: 9 },
      kind: { enum: ["a", "b"] },
      note: { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }] },
      items: { type: "array", maxItems: 2, items: { type: "number" } },
      labels: { type: "object", additionalProperties: { type: "string" } },
    },
    required: ["id", "count"],
  };
  const good = { id: "0190c4f0-0000-7000-8000-000000000001", count: 3 };

  it("accepts valid values", () => {
    const full = { ...good, kind: "a", note: null, items: [1, 2.5], labels: { x: "y" } };
    expect(problemsOf(schema, full, refs)).toEqual([]);
  });

  it.each([
    ["no object", []],
    ["a field that is missing", { id: good.id }],
    ["a field more", { ...good, secret: 1 }],
    ["another type", { ...good, count: "3" }],
    ["a part of a number", { ...good, count: 1.5 }],
    ["a number beyond", { ...good, count: 10 }],
    ["a text that does not match", { ...good, id: "x" }],
    ["a value that there is not", { ...good, kind: "c" }],
    ["a text that is too long", { ...good, note: "long" }],
    ["an item of another type", { ...good, items: ["1"] }],
    ["too many items", { ...good, items: [1, 2, 3] }],
    ["a label of another type", { ...good, labels: { x: 1 } }],
    ["null", null],
  ])("rejects %s", (_, value) => {
    expect(problemsOf(schema, value, refs)).not.toEqual([]);
  });

  it("rejects an unknown keyword", () => {
    expect(() => problemsOf({ type: "string", contentEncoding: "x" }, "a", refs)).toThrow();
  });

  const headers = {
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-xss-protection": "1; mode=block",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": "no-store, no-cache, must-revalidate",
    "x-request-id": "one",
    "www-authenticate": "Bearer",
  };
  const answer = (status: number, body: unknown, change: object = {}): Answer => ({
    status,
    headers: { ...headers, ...change },
    bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  const live = named("checkLiveness");
  const detail = { detail: "Because." };

  it("accepts valid responses", () => {
    expect(judge(live, answer(200, { status: "live" }), refs)).toEqual([]);
    expect(judge(live, answer(400, detail), refs)).toEqual([]);
    expect(judge(named("getMe"), answer(401, detail), refs)).toEqual([]);
  });

  it.each<readonly [string, Answer, RegExp]>([
    ["another body", answer(200, { status: "dead" }), /not live/],
    ["no JSON", answer(200, "live"), /no JSON/],
    ["another content type", answer(200, "live", { "content-type": "text/plain" }), /type/],
    ["a status that is not named", answer(418, detail), /does not name/],
    ["a fault", answer(500, detail), /fault/],
    ["an error that is more", answer(400, { ...detail, stack: "…" }), /named|more/],
    ["an error that is none", answer(400, {}), /detail/],
    ["no X-Request-Id", answer(400, detail, { "x-request-id": undefined }), /X-Request-Id/],
    ["no security header", answer(400, detail, { "x-frame-options": "SAMEORIGIN" }), /frame/],
    ["no Cache-Control", answer(200, { status: "live" }, { "cache-control": "public" }), /cache/],
    ["503 without Retry-After", answer(503, detail), /Retry-After/],
    ["429 without Retry-After", answer(429, detail), /Retry-After/],
    ["SQL in an error", answer(500, { detail: 'syntax error at "select"' }), /too much/],
  ])("rejects %s", (_, given, problem) => {
    expect(judge(live, given, refs).join("; ")).toMatch(problem);
  });

  it("rejects a 401 without WWW-Authenticate and a body where none is declared", () => {
    const me = named("getMe");
    const silent = answer(401, detail, { "www-authenticate": undefined });
    expect(judge(me, silent, refs)).toEqual(["no WWW-Authenticate"]);
    expect(judge(named("deleteTest"), answer(204, {}), refs).join()).toMatch(/body/);
  });
});
