import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildOpenApi, errorStatusesOf, exampleOf } from "../../../src/api/openapi/index.ts";
import { operations } from "../../../src/api/routes/index.ts";

const cases = operations.map((operation) => [operation.id, operation] as const);

/** Tags of the spec's tag map and of its list without prefixes. */
const specTags = new Set(
  [
    "Authentication OAuth Sessions Tests Folders Projects Parse Import Export Executions Reports",
    "Runner Runs Screenshots Baselines Schedules Notifications Organizations Invites CLI Plan",
    "PlanChange Catalog Entitlements Connection Settings Usage Dashboard Admin Tags Members Health",
  ]
    .join(" ")
    .split(" ")
    .concat("Email Verification", "Test Steps", "Test Sets", "Test Set Items", "API Keys")
    .concat("Test Export"),
);

describe("operations", () => {
  it("have unique ids, methods and paths", () => {
    const ids = operations.map(({ id }) => id);
    const routes = operations.map(
      ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it.each(cases)("%s has a documented tag and a summary", (_, operation) => {
    expect(specTags).toContain(operation.tag);
    expect(operation.summary).toMatch(/^[A-Z].{5,}[^.]$/);
  });

  const posted = cases.filter(([, { method, body }]) => method === "POST" && body);
  it.each(posted)("%s requires no body without required fields", (_, { body }) => {
    expect(body?.safeParse(undefined).success).toBe(body?.safeParse({}).success);
  });

  it.each(cases)("%s declares the parameters of its path", (_, operation) => {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const { properties = {} } = operation.params
      ? (z.toJSONSchema(operation.params, { io: "input" }) as { properties?: object })
      : {};
    expect(Object.keys(properties).sort()).toEqual(inPath.sort());
  });

  it.each(cases)("%s has examples that match its schemas", (_, operation) => {
    const { body } = operation.example ?? {};
    // A file has no example that could be written down.
    if (operation.body && !operation.multipart?.only && !operation.multipart?.types) {
      expect(body, "an example of the body").toBeDefined();
      operation.body.parse(body);
    }
    for (const [status, schema] of Object.entries(operation.responses)) {
      if (!schema || !("_zod" in schema)) continue;
      const response = exampleOf(operation, Number(status));
      expect(response, "an example of the response").toBeDefined();
      // Strictly: an example must not show what the answer does not have.
      expect(schema.parse(response)).toEqual(response);
    }
  });

  const reserving = cases.filter(([, { later = [] }]) => later.length > 0);
  it.each(reserving)("%s ignores the fields documented as reserved", (_, operation) => {
    const described = JSON.stringify([
      operation.body && z.toJSONSchema(operation.body, { io: "input", unrepresentable: "any" }),
      operation.query && z.toJSONSchema(operation.query, { io: "input" }),
    ]);
    for (const field of operation.later ?? []) expect(described).not.toContain(`"${field}"`);
  });
});

describe("openapi.json", () => {
  const document = buildOpenApi(operations) as {
    tags: { name: string }[];
    paths: Record<string, Record<string, { responses: object; tags: string[] }>>;
  };

  it("describes every operation, parameter, field and component", () => {
    const { paths, components } = document as unknown as {
      paths: object;
      components: { parameters: object; schemas: object };
    };
    const missing: string[] = [];
    const check = (node: unknown, at: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties, operationId, in: place, name } = node as Record<string, unknown>;
      const parts = { ...(properties as object), ...(operationId ? { operation: node } : {}) };
      const described = [...Object.entries(parts), ...(place ? [[name, node]] : [])];
      for (const [field, part] of described as [string, Record<string, unknown>][]) {
        if (!part.description) missing.push(`${at}: ${field}`);
      }
      for (const [key, inner] of Object.entries(node)) {
        if (!key.startsWith("example")) check(inner, `${at}/${key}`);
      }
    };
    check(paths, "");
    check(components.parameters, "parameters");
    for (const [name, schema] of Object.entries(components.schemas)) {
      check({ properties: { [name]: schema } }, "schemas");
    }
    expect(missing).toEqual([]);
  });

  it("is at most 500 KB and names the resources", async () => {
    const text = await readFile(path.resolve(import.meta.dirname, "../../../openapi.json"), "utf8");
    expect(text.length).toBeLessThanOrEqual(500_000);
    const { schemas } = JSON.parse(text).components;
    const resources =
      "Test Step Run Execution Plan PlanChange Schedule Baseline Member Event Error";
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(resources.split(" ")));
  });

  it("is generated deterministically", () => {
    expect(buildOpenApi(operations)).toEqual(document);
  });

  it.each(cases)("describes %s with all its response statuses", (_, operation) => {
    const described = document.paths[`/api/v1${operation.path}`]?.[operation.method.toLowerCase()];
    const statuses = [
      ...Object.keys(operation.responses).map(Number),
      ...errorStatusesOf(operation),
    ];
    expect(Object.keys(described?.responses ?? {}).map(Number)).toEqual(
      [...new Set(statuses)].sort((a, b) => a - b),
    );
  });

  it("describes each tag in use", () => {
    const used = Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ tags }) => tags),
    );
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used));
  });
});
