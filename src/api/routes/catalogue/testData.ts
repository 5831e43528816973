import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import {
  dataOfPlain,
  plainData,
  plainDataSchema,
  type TestData,
} from "../../../domain/catalogue/testData.ts";
import type { ActiveTest } from "../../../domain/catalogue/tests/state.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { testExample } from "./examples.ts";

/** The rows of test data by column, without the test they belong to. */
export const rowsOfData = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.string())),
});

const dataBody = z
  .object({
    test_id: id,
    version: z
      .int()
      .positive()
      .describe("The version of the test. A change of its data is a new version."),
    ...rowsOfData.shape,
  })
  .meta({ id: "TestData", description: "The rows of test data." });

const dataExample = {
  columns: ["user", "greeting"],
  rows: [
    { user: "ada", greeting: "Good morning" },
    { user: "bob", greeting: "" },
  ],
};

const bodyOf = (testId: string, version: number, data: TestData) => ({
  test_id: testId,
  version,
  ...plainData(data),
});

const shared = { tag: "Tests", auth: "member", params: idParams } as const;

const readData = defineOperation({
  ...shared,
  id: "readTestData",
  method: "GET",
  path: "/tests/{id}/data",
  summary: "Read the rows of test data; a test runs once per row",
  permission: "results:read",
  responses: { 200: dataBody },
  example: { response: { test_id: testExample.id, version: 2, ...dataExample } },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.catalogue;
    const { version } = owned(await queries.findTest(params.id), principal, "test");
    const found = owned(await queries.findVersion(params.id, version), principal, "test");
    return { status: 200, body: bodyOf(params.id, version, found.data) };
  },
});

const replaceData = defineOperation({
  ...shared,
  id: "replaceTestData",
  method: "PUT",
  path: "/tests/{id}/data",
  summary:
    "Replace the rows of test data; steps use ${column}, and each row counts as a run for the quota",
  permission: "catalogue:write",
  query: z.object({
    pushed: z
      .enum(["true", "false"], "must be true or false")
      .default("false")
      .transform((text) => text === "true")
      .describe("Whether the rows are those of the test's file."),
  }),
  body: plainDataSchema,
  ifMatch: true,
  responses: { 200: dataBody },
  example: {
    body: dataExample,
    response: { test_id: testExample.id, version: 2, ...dataExample },
  },
  handler: async ({ params, query, body, context, request, services }) => {
    const written: Written<ActiveTest> = await services.catalogue.commands.replaceData(
      context,
      params.id,
      dataOfPlain(body),
      request.ifMatch,
      query,
    );
    const { version, data } = written.state;
    return { status: 200, body: bodyOf(params.id, version, data), receipt: written.receipt };
  },
});

export const testDataOperations: readonly Operation[] = [readData, replaceData];
