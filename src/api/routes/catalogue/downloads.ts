import { z } from "zod";
import { withCalledSteps } from "../../../commands/catalogue/calls.ts";
import { noData, type TestData } from "../../../domain/catalogue/testData.ts";
import { BUNDLE_CONTENT_TYPE, BUNDLE_EXTENSION, toBundle } from "../../../domain/formats/bundle.ts";
import { toGherkin } from "../../../domain/formats/gherkin/write.ts";
import { toPython } from "../../../domain/formats/python/index.ts";
import { plainDataOf, type TestDocument } from "../../../domain/formats/testDocument.ts";
import { toTypescript } from "../../../domain/formats/typescript/index.ts";
import { stepsAt } from "../../../domain/runs/pinned.ts";
import type { ExecutionSummary } from "../../../projections/runs/executions/summaries.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { binary, id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { executionBody } from "../runs/executionBody.ts";
import { executionDetail } from "../runs/schemas.ts";
import { test, testBody } from "./shapes.ts";
import { rowsOfData } from "./testData.ts";

const params = z.object({ execution_id: id });

type Caller = { readonly organizationId: string };
type Asked = {
  readonly params: { readonly execution_id: string };
  readonly principal: Caller;
  readonly services: Services;
};

/**
 * The test version of a download: the executed one for the id of an execution, the current one for the id of a test.
 * Throws ApiError 404 for an unknown id, 403 for one of another organisation.
 */
const exportedTest = async (
  services: Services,
  resourceId: string,
  caller: Caller,
): Promise<TestDocument> => {
  const execution = await findExecution(services, resourceId, caller);
  const { queries } = services.catalogue;
  if (!execution) {
    const found = owned(await queries.findTest(resourceId), caller, "execution or test");
    return { ...found, data: await dataOf(services, found) };
  }
  const { test_id, test_version, content } = execution;
  const at = stepsAt({ testId: test_id, testVersion: test_version, contentId: content?.id });
  const version = await queries.findVersion(at.testId, at.version);
  if (!version) throw new ApiError(404, "The test version of this execution no longer exists.");
  return { ...version, name: execution.test_name };
};

/** The settings and data of a test version. */
const dataOf = async (
  services: Services,
  { id: testId, version }: { readonly id: string; readonly version: number },
): Promise<TestData> =>
  (await services.catalogue.queries.findVersion(testId, version))?.data ?? noData;

const findExecution = async (
  services: Services,
  resourceId: string,
  caller: Caller,
): Promise<ExecutionSummary | null> => {
  const found = await services.runs.queries.findExecutionSummary(resourceId);
  return found && owned(found, caller, "execution");
};

/** A test version for scripts, with the steps of called tests as executed, or as they are now. */
const exportedWhole = async (
  services: Services,
  resourceId: string,
  caller: Caller,
): Promise<TestDocument> => {
  const exported = await exportedTest(services, resourceId, caller);
  const { queries } = services.catalogue;
  const ran = await services.runs.queries.stepsOfExecution(resourceId);
  if (ran) return { ...exported, steps: ran };
  const test = owned(await queries.findTest(resourceId), caller, "execution or test");
  const root = { ...test, testId: resourceId, projectId: test.project_id };
  const steps = await withCalledSteps(queries.findCallable, caller.organizationId, root);
  return { ...exported, steps };
};

/** A file name from a test's name, with only letters, digits and dashes, safe in headers and file systems. */
const fileName = (name: string, extension: string): string => {
  const base = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80)
    .toLowerCase();
  return `${base || "test"}${extension}`;
};

const file = (name: string, contentType: string, text: string): OperationResponse => ({
  status: 200,
  body: Buffer.from(text),
  headers: {
    "content-type": contentType,
    "content-disposition": `attachment; filename="${name}"`,
  },
});

const shared = {
  method: "GET",
  auth: "download",
  permission: "results:read",
  params,
} as const;

const downloadYaml = defineOperation({
  ...shared,
  id: "downloadYaml",
  path: "/tests/{execution_id}/yaml",
  tag: "Test Export",
  exports: { what: "test", format: "yaml" },
  summary: "Download the compiled steps of an execution as YAML",
  responses: { 200: binary("application/yaml", "The steps") },
  handler: async ({ params: { execution_id }, principal, services }) => {
    const exported = await exportedTest(services, execution_id, principal);
    // Loaded on first use.
    const { toYaml } = await import("../../../domain/formats/yaml.ts");
    return file(fileName(exported.name, ".yaml"), "application/yaml", toYaml(exported));
  },
});

const exportedTestBody = test
  .extend({ data: rowsOfData.optional().describe("The rows of test data, if there are any.") })
  .meta({ id: "ExportedTest", description: "A test with its rows of test data." });

const downloadJson = defineOperation({
  ...shared,
  id: "downloadJson",
  path: "/tests/{execution_id}/json",
  tag: "Test Export",
  exports: { what: "execution", format: "json" },
  summary: "Download an execution with the result of each step in each browser",
  responses: {
    200: binary(
      "application/json",
      "The execution; for a test's id, the test",
      z.union([executionDetail, exportedTestBody]),
    ),
  },
  handler: async ({ params: { execution_id }, principal, services }) => {
    const { queries } = services.runs;
    const type = "application/json; charset=utf-8";
    if (await findExecution(services, execution_id, principal)) {
      const execution = owned(await queries.findExecution(execution_id), principal, "execution");
      const body = executionDetail.parse(await executionBody(services, execution));
      const download = file(fileName(`execution ${execution_id}`, ".json"), type, written(body));
      return withVersion(download, body.version);
    }
    const found = owned(
      await services.catalogue.queries.findTest(execution_id),
      principal,
      "execution or test",
    );
    const body = test.parse(testBody(found));
    const data = plainDataOf({ data: await dataOf(services, found) });
    const download = file(fileName(body.name, ".json"), type, written({ ...body, ...data }));
    return withVersion(download, body.version);
  },
});

/** Adds the ETag that a body with a version carries. */
const withVersion = (download: ReturnType<typeof file>, version: number) => ({
  ...download,
  headers: { ...download.headers, etag: `"${version}"` },
});

const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const exportBundle = defineOperation({
  ...shared,
  id: "exportBundle",
  path: "/tests/{execution_id}/export/svc",
  tag: "Export",
  exports: { what: "test", format: "bundle" },
  summary: "Download a self-contained bundle that can be imported again",
  responses: { 200: binary(BUNDLE_CONTENT_TYPE, "The bundle") },
  handler: async ({ params: { execution_id }, principal, services }) => {
    const exported = await exportedTest(services, execution_id, principal);
    const name = fileName(exported.name, BUNDLE_EXTENSION);
    return file(name, BUNDLE_CONTENT_TYPE, toBundle(exported));
  },
});

/** A script of the test with its called tests and the base URL of the execution. */
const script = async (
  { params: { execution_id }, principal, services }: Asked,
  write: (document: TestDocument, options: { readonly baseUrl?: string }) => string,
): Promise<{ readonly name: string; readonly text: string }> => {
  const exported = await exportedWhole(services, execution_id, principal);
  const execution = await services.runs.queries.findExecution(execution_id);
  const baseUrl = execution?.base_url ?? null;
  const text = write(exported, baseUrl === null ? {} : { baseUrl });
  return { name: exported.name, text };
};

const exportPython = defineOperation({
  ...shared,
  id: "exportPython",
  path: "/tests/{execution_id}/export/python",
  tag: "Export",
  exports: { what: "test", format: "python" },
  summary: "Download a runnable Playwright script in Python",
  responses: { 200: binary("text/x-python", "The script") },
  handler: async (asked) => {
    const { name, text } = await script(asked, toPython);
    const safeName = fileName(name, ".py").replaceAll("-", "_");
    return file(safeName, "text/x-python; charset=utf-8", text);
  },
});

const exportTypescript = defineOperation({
  ...shared,
  id: "exportTypescript",
  path: "/tests/{execution_id}/export/typescript",
  tag: "Export",
  exports: { what: "test", format: "typescript" },
  summary: "Download a runnable Playwright test in TypeScript",
  responses: { 200: binary("text/x-typescript", "The test") },
  handler: async (asked) => {
    const { name, text } = await script(asked, toTypescript);
    return file(fileName(name, ".spec.ts"), "text/x-typescript; charset=utf-8", text);
  },
});

const exportGherkin = defineOperation({
  ...shared,
  id: "exportGherkin",
  path: "/tests/{execution_id}/export/gherkin",
  tag: "Export",
  exports: { what: "test", format: "gherkin" },
  summary: "Download a Gherkin feature with one scenario, which can be imported again",
  responses: { 200: binary("text/x-gherkin", "The feature") },
  handler: async ({ params: { execution_id }, principal, services }) => {
    const exported = await exportedTest(services, execution_id, principal);
    const name = fileName(exported.name, ".feature");
    return file(name, "text/x-gherkin; charset=utf-8", toGherkin(exported));
  },
});

export const downloadOperations: readonly Operation[] = [
  downloadYaml,
  downloadJson,
  exportBundle,
  exportPython,
  exportTypescript,
  exportGherkin,
];
