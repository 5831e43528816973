import { readFileSync } from "node:fs";
import path from "node:path";
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

describe("what a change takes away from clients", () => {
  it("given nothing changed, when it is compared, then nothing is lost", () => {
    expect(narrowings(released, released)).toEqual([]);
  });

  it("given more of everything, when it is compared, then nothing is lost", () => {
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
    ],
  ])("given %s, when it is compared, then it is named", (_, current, ...lines) => {
    expect(narrowings(released, current)).toEqual(lines);
  });

  it("given the service's own description, when each operation is taken out in turn, then each is missed", () => {
    const file = path.resolve(import.meta.dirname, "../../../openapi.json");
    const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
      readFileSync(file, "utf8"),
    );
    expect(narrowings(document, document)).toEqual([]);
    for (const [route, methods] of Object.entries(document.paths)) {
      const { [route]: _, ...paths } = document.paths;
      expect(narrowings(document, { ...document, paths })).toHaveLength(
        Object.keys(methods).length,
      );
    }
  });
});
