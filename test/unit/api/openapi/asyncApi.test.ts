import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { buildAsyncApi } from "../../../../src/api/openapi/asyncApi.ts";
import { incoming, outgoing } from "../../../../src/api/ws/messages.ts";

const FILE = path.resolve(import.meta.dirname, "../../../../asyncapi.json");
const built = JSON.parse(JSON.stringify(buildAsyncApi()));

/** Every `$ref` of the document. */
const refsIn = (node: unknown): string[] => {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "$ref" ? [String(value)] : refsIn(value),
  );
};

const at = (ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], built);

describe("asyncapi.json", () => {
  it("is the description of the messages that the service validates", async () => {
    expect(JSON.parse(await readFile(FILE, "utf8"))).toEqual(built);
  });

  it("refers only to parts that it contains", () => {
    const refs = refsIn(built);
    expect(refs.length).toBeGreaterThan(50);
    expect(refs.filter((ref) => at(ref) === undefined)).toEqual([]);
  });

  it("has examples that match the schemas of their messages", () => {
    const messages: Record<string, { examples?: { payload: unknown }[] }> =
      built.components.messages;
    const schemas: Record<string, z.ZodType> = { ...incoming, ...outgoing };
    const examples = Object.entries(messages).flatMap(([name, { examples: own = [] }]) =>
      own.map(({ payload }) => [name, payload] as const),
    );
    expect(examples.length).toBeGreaterThan(4);
    for (const [name, payload] of examples) expect(schemas[name]?.parse(payload)).toEqual(payload);
  });
});
