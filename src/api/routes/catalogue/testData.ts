import { z } from "zod";
import type { Written } from "../../../commands/catalogueShared.ts";
import { MAX_FIELD_BYTES } from "../../../domain/catalogue/step.ts";
import type { ActiveTest } from "../../../domain/catalogue/test.ts";
import {
  MAX_COLUMNS,
  MAX_DATA_BYTES,
  MAX_ROWS,
  type TestData,
} from "../../../domain/catalogue/testData.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams } from "../../schemas.ts";
import { variableName } from "../variables.ts";
import { testExample } from "./examples.ts";
import { ours } from "./shapes.ts";

const dataBody = z.object({
  test_id: id,
  /** The test's: to have data is a version of it. */
  version: z.int().positive(),
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.string())),
});

const value = z
  .string("must be a text")
  .refine((text) => Buffer.byteLength(text) <= MAX_FIELD_BYTES, "is longer than 8 KiB");

const dataInput = z
  .strictObject({
    columns: z
      .array(variableName)
      .max(MAX_COLUMNS, `at most ${MAX_COLUMNS}`)
      .refine((all) => new Set(all).size === all.length, "must name each column once")
      .refine((all) => !all.includes("secret"), "secret is what secrets are spoken of with"),
    rows: z.array(z.record(z.string(), value)).max(MAX_ROWS, `at most ${MAX_ROWS}`),
  })
  .superRefine(({ columns, rows }, check) => {
    if (rows.length > 0 && columns.length === 0) {
      check.addIssue({ code: "custom", path: ["columns"], message: "must name a column at least" });
    }
    for (const [index, row] of rows.entries()) {
      const unknown = Object.keys(row).find((name) => !columns.includes(name));
      if (unknown === undefined) continue;
      const message = `has no column ${JSON.stringify(unknown.slice(0, 64))}`;
      return check.addIssue({ code: "custom", path: ["rows", index], message });
    }
    const bytes = Buffer.byteLength(JSON.stringify({ columns, rows }));
    if (bytes > MAX_DATA_BYTES) {
      const message = `take ${MAX_DATA_BYTES / 1024} KiB together at most`;
      check.addIssue({ code: "custom", path: ["rows"], message });
    }
  });

const dataExample = {
  columns: ["user", "greeting"],
  rows: [
    { user: "ada", greeting: "Good morning" },
    { user: "bob", greeting: "" },
  ],
};

const bodyOf = (testId: string, version: number, { columns, rows }: TestData) => ({
  test_id: testId,
  version,
  columns: [...columns],
  rows: rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""])),
  ),
});

const shared = { tag: "Tests", auth: "member", params: idParams } as const;

const readData = defineOperation({
  ...shared,
  id: "readTestData",
  method: "GET",
  path: "/tests/{id}/data",
  summary: "Read the rows of data with which a test runs, once for each",
  permission: "results:read",
  responses: { 200: dataBody },
  example: { response: { test_id: testExample.id, version: 2, ...dataExample } },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.catalogue;
    const { version } = ours(await queries.findTest(params.id), principal, "test");
    const found = ours(await queries.findVersion(params.id, version), principal, "test");
    return { status: 200, body: bodyOf(params.id, version, found.data) };
  },
});

const replaceData = defineOperation({
  ...shared,
  id: "replaceTestData",
  method: "PUT",
  path: "/tests/{id}/data",
  summary:
    "Give a test rows of data: it runs once for each, ${column} standing for the row's value, and each counts for the quota",
  permission: "catalogue:write",
  body: dataInput,
  ifMatch: true,
  responses: { 200: dataBody },
  example: {
    body: dataExample,
    response: { test_id: testExample.id, version: 2, ...dataExample },
  },
  handler: async ({ params, body, context, request, services }) => {
    const { columns } = body;
    // What a row does not say is empty.
    const rows = body.rows.map((row) => columns.map((column) => row[column] ?? ""));
    const written: Written<ActiveTest> = await services.catalogue.commands.replaceData(
      context,
      params.id,
      { columns: rows.length === 0 ? [] : columns, rows },
      request.ifMatch,
    );
    const { version, data } = written.state;
    return { status: 200, body: bodyOf(params.id, version, data), receipt: written.receipt };
  },
});

export const testDataOperations: readonly Operation[] = [readData, replaceData];
