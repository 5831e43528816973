import { describe, expect, it } from "vitest";
import { narrowings } from "../../../scripts/apiNarrowing.ts";

type Operation = Record<string, unknown>;

const apiOf = (operation: Operation | null, schemas: Record<string, unknown> = {}) => ({
  paths: { "/tests": operation ? { post: operation } : {} },
  components: { schemas },
});

const json = (schema: unknown) => ({ content: { "application/json": { schema } } });

const operationOf = (change: {
  body?: Record<string, unknown>;
  answer?: Record<string, unknown>;
  parameters?: unknown[];
  responses?: Record<string, unknown>;
}): Operation => ({
  parameters: change.parameters ?? [
    { in: "query", name: "limit", schema: { type: "integer", maximum: 100 } },
  ],
  requestBody: json({
    type: "object",
    properties: {
      name: { type: "string", maxLength: 200 },
      kind: { enum: ["a", "b"] },
      note: { type: ["string", "null"] },
    },
    required: ["name"],
    ...change.body,
  }),
  responses: change.responses ?? {
    "201": json({
      type: "object",
      properties: {
        id: { type: "string" },
        items: { type: "array", items: { $ref: "#/components/schemas/Item" } },
      },
      required: ["id"],
      ...change.answer,
    }),
    "409": json({}),
  },
});

const item = (properties: Record<string, unknown>) => ({ Item: { type: "object", properties } });
const released = apiOf(operationOf({}), item({ at: { type: "string" } }));

describe("breaking changes of the API", () => {
  it("are none for an unchanged description", () => {
    expect(narrowings(released, released)).toEqual([]);
  });

  it("are none for additions", () => {
    const wider = apiOf(
      operationOf({
        parameters: [
          { in: "query", name: "limit", schema: { type: "integer", maximum: 1000 } },
          { in: "query", name: "q", schema: { type: "string" } },
        ],
        body: {
          properties: {
            name: { type: ["string", "null"] },
            kind: { enum: ["a", "b", "c"] },
            note: { type: ["string", "null"] },
            more: { type: "string" },
          },
          required: [],
        },
      }),
      item({ at: { type: "string" }, by: { type: "string" } }),
    );
    expect(narrowings(released, wider)).toEqual([]);
  });

  it.each([
    ["an operation gone", apiOf(null), "POST /tests: is gone"],
    [
      "a parameter gone",
      apiOf(operationOf({ parameters: [] }), item({ at: { type: "string" } })),
      "POST /tests: query parameter limit is gone",
    ],
    [
      "a parameter demanded",
      apiOf(
        operationOf({
          parameters: [
            { in: "query", name: "limit", schema: { type: "integer", maximum: 100 } },
            { in: "query", name: "q", required: true, schema: { type: "string" } },
          ],
        }),
        item({ at: { type: "string" } }),
      ),
      "POST /tests: query parameter q is new and required",
    ],
    [
      "a field demanded",
      apiOf(
        operationOf({ body: { required: ["name", "kind"] } }),
        item({ at: { type: "string" } }),
      ),
      "POST /tests: body.kind is now required",
    ],
    [
      "a value gone",
      apiOf(
        operationOf({
          body: {
            properties: {
              name: { type: "string", maxLength: 200 },
              kind: { enum: ["a"] },
              note: { type: ["string", "null"] },
            },
          },
        }),
        item({ at: { type: "string" } }),
      ),
      'POST /tests: body.kind no longer takes "b"',
    ],
    [
      "a bound, a type",
      apiOf(
        operationOf({
          body: {
            properties: {
              name: { type: "string", maxLength: 100 },
              kind: { enum: ["a", "b"] },
              note: { type: "string" },
            },
          },
        }),
        item({ at: { type: "string" } }),
      ),
      "POST /tests: body.name has a stricter maxLength",
      "POST /tests: body.note no longer takes null",
    ],
    [
      "a field of an answer gone, behind a reference",
      apiOf(operationOf({}), item({})),
      "POST /tests: 201.items[].at is gone",
    ],
    [
      "an answer that may be null",
      apiOf(operationOf({}), item({ at: { type: ["string", "null"] } })),
      "POST /tests: 201.items[].at may now be null",
    ],
    [
      "an answer's field that may be missing",
      apiOf(operationOf({ answer: { required: [] } }), item({ at: { type: "string" } })),
      "POST /tests: 201.id may now be missing",
    ],
    [
      "an answer gone",
      apiOf(operationOf({ responses: { "202": json({}) } }), item({})),
      "POST /tests: no longer answers 201",
      "POST /tests: no longer answers 409",
    ],
  ])("include %s", (_, current, ...lines) => {
    expect(narrowings(released, current)).toEqual(lines);
  });

  /** One operation, released and now: what a change to one schema takes away. */
  const lostIn = (direction: "request" | "response", before: unknown, now: unknown) => {
    const api = (schema: unknown) => {
      const of = (wanted: string) =>
        json({ type: "object", properties: wanted === direction ? { field: schema } : {} });
      const operation = { requestBody: of("request"), responses: { "200": of("response") } };
      return { paths: { "/x": { put: operation } } };
    };
    return narrowings(api(before), api(now)).map((line) =>
      line.replace(/^PUT \/x: (body|200)\.field:? ?/, ""),
    );
  };
  const text = { type: "string" };
  const whole = { type: "integer" };
  const nothing = { type: "null" };
  const shape = (properties: Record<string, unknown>, more: object = {}) => ({
    type: "object",
    properties,
    ...more,
  });

  it.each([
    ["a type where there was none", {}, text, ["is now limited to string"]],
    ["any type where there was one", text, {}, []],
    ["whole numbers for numbers", { type: "number" }, whole, ["no longer takes number"]],
    ["numbers for whole numbers", whole, { type: "number" }, []],
    ["a format", text, { type: "string", format: "uuid" }, ["must now be a uuid"]],
    ["no format any more", { type: "string", format: "uuid" }, text, []],
    ["values where there were none", text, { enum: ["a"] }, ["is now limited to some values"]],
    ["one value of two", { enum: ["a", "b"] }, { const: "a" }, ['no longer takes "b"']],
    ["a pattern", text, { type: "string", pattern: "^a" }, ["has a stricter pattern"]],
    ["fewer items", { maxItems: 9 }, { maxItems: 8 }, ["has a stricter maxItems"]],
    ["a lower limit", {}, { minimum: 1 }, ["has a stricter minimum"]],
    ["a higher limit", { maximum: 9 }, { maximum: 10 }, []],
    ["a form less", { anyOf: [text, whole] }, text, ["no longer takes integer"]],
    ["null no more", { anyOf: [text, nothing] }, { anyOf: [text] }, ["no longer takes null"]],
    ["a form more", text, { anyOf: [text, whole] }, []],
    ["null in another way", { anyOf: [text, nothing] }, { type: ["string", "null"] }, []],
    [
      "a stricter field within what may be null",
      { anyOf: [shape({ a: text }), nothing] },
      { anyOf: [shape({ a: whole }), nothing] },
      [".a no longer takes string"],
    ],
    [
      "a closed object",
      shape({ a: text }),
      shape({ a: text }, { additionalProperties: false }),
      ["no longer takes other fields"],
    ],
    [
      "stricter values of a map",
      { type: "object", additionalProperties: text },
      { type: "object", additionalProperties: { type: "string", maxLength: 9 } },
      [".* has a stricter maxLength"],
    ],
    [
      "stricter names of a map",
      { type: "object", propertyNames: text },
      { type: "object", propertyNames: { type: "string", pattern: "^a" } },
      ["name has a stricter pattern"],
    ],
    [
      "stricter items",
      { type: "array", items: shape({}) },
      { type: "array", items: shape({ a: text }, { required: ["a"] }) },
      ["[].a is now required"],
    ],
    ["a field that is not read any more", shape({ a: text }), shape({}), [".a is gone"]],
  ])("include %s in a request", (_, a, b, lines) => {
    expect(lostIn("request", a, b).map((line) => line.trim())).toEqual(lines);
  });

  it.each([
    ["a field gone", shape({ a: text }), shape({}), [".a is gone"]],
    [
      "a field gone within what may be null",
      { anyOf: [shape({ a: text }), nothing] },
      { anyOf: [shape({}), nothing] },
      [".a is gone"],
    ],
    ["numbers for whole numbers", whole, { type: "number" }, ["may now be number"]],
    ["whole numbers for numbers", { type: "number" }, whole, []],
    ["anything", text, {}, ["may now be anything"]],
    ["null", text, { anyOf: [text, nothing] }, ["may now be null"]],
    ["null no more", { anyOf: [text, nothing] }, text, []],
    ["another word", { const: "live" }, { const: "ok" }, ['is no longer "live"']],
    ["a word more", { enum: ["a"] }, { enum: ["a", "b"] }, []],
    [
      "no format any more",
      { type: "string", format: "date-time" },
      text,
      ["may now be text, not a date-time"],
    ],
    [
      "other values in a map",
      { type: "object", additionalProperties: whole },
      { type: "object", additionalProperties: text },
      [".* may now be string"],
    ],
    ["a field more", shape({ a: text }), shape({ a: text, b: text }), []],
  ])("include %s in a response", (_, a, b, lines) => {
    expect(lostIn("response", a, b).map((line) => line.trim())).toEqual(lines);
  });

  it.each([
    ["a credential less", { security: [{ a: [] }] }, "no longer takes the credential b"],
    ["another name", { operationId: "other" }, "is no longer called x"],
    ["a header less", { responses: { "200": {} } }, "200: ETag is gone"],
    [
      "another content type",
      { responses: { "200": { headers: { ETag: {} }, content: { "text/plain": {} } } } },
      "200 as application/json is gone",
    ],
    [
      "a parameter that is required",
      { parameters: [{ in: "header", name: "X-A", required: true }] },
      "header parameter X-A is now required",
    ],
    ["a body that is required", { requestBody: { required: true } }, "body is now required"],
  ])("include %s", (_, change, line) => {
    const released = {
      operationId: "x",
      security: [{ a: [] }, { b: [] }],
      parameters: [{ in: "header", name: "X-A" }],
      responses: {
        "200": { headers: { ETag: {} }, content: { "application/json": { schema: {} } } },
      },
    };
    const api = (operation: object) => ({ paths: { "/x": { get: operation } } });
    const lost = narrowings(api(released), api({ ...released, ...change }));
    expect(lost).toContain(`GET /x: ${line}`);
    expect(narrowings(api(released), api(released))).toEqual([]);
  });

  it("include a new requirement of credentials, but not its removal", () => {
    const api = (security: object[]) => ({ paths: { "/x": { get: { security } } } });
    expect(narrowings(api([]), api([{ a: [] }]))).toEqual(["GET /x: now asks for a credential"]);
    expect(narrowings(api([{ a: [] }]), api([]))).toEqual([]);
  });

  it("are found in a recursive schema", () => {
    const tree = { Item: shape({ child: { $ref: "#/components/schemas/Item" } }) };
    const api = apiOf(operationOf({}), tree);
    expect(narrowings(api, api)).toEqual([]);
  });
});
