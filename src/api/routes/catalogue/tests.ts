import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { joinReceipts, type Receipt } from "../../../commands/kernel/receipt.ts";
import { sourcePath } from "../../../domain/catalogue/source.ts";
import { MAX_TAGS_OF_TEST } from "../../../domain/catalogue/tags.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import type { TestDetail } from "../../../projections/catalogue/rows.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, sortOrder, timeRange, toPage } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { contentOf, stepsInput, textInput } from "./content.ts";
import { summaryExample, testExample, textExample } from "./examples.ts";
import { placeOf } from "./places.ts";
import { readText } from "./readText.ts";
import { summaryBody, test, testBody, testSummary, writtenTest } from "./shapes.ts";

const language = z.literal("en", "must be en, the only supported language");
const platform = z.literal("web", "must be web, the only supported platform");

/** The names of tags. Unknown tags are created. */
const tagsInput = z
  .array(displayName)
  .max(MAX_TAGS_OF_TEST, `a test carries ${MAX_TAGS_OF_TEST} tags at most`);

/** The file with the content of the request. */
export const sourceInput = sourcePath.describe(
  "The path of the file with this content in its repository. A project has one test per path.",
);

const testInput = z
  .strictObject({
    name: displayName,
    project_id: id.nullable().optional(),
    folder_id: id.nullable().optional(),
    language: language.default("en"),
    platform: platform.default("web"),
    text: textInput.optional(),
    steps: stepsInput.optional(),
    tags: tagsInput.optional(),
    source: sourceInput.optional(),
  })
  .meta({ id: "NewTest", description: "A new test, from text or steps." });

const testChanges = z
  .strictObject({
    name: displayName.optional(),
    project_id: id.nullable().optional(),
    folder_id: id.nullable().optional(),
    language: language.optional(),
    platform: platform.optional(),
    text: textInput.optional(),
    steps: stepsInput.optional(),
    tags: tagsInput.optional().describe("The complete list: other tags are removed from the test."),
    source: sourceInput
      .nullable()
      .optional()
      .describe("The path of the file with this content; null removes it."),
  })
  .meta({ id: "TestChange", description: "The changed fields of a test." });

/** The maximum length of a search text, in characters. */
const MAX_QUERY = 200;

export const testListQuery = z.object({
  ...pageQuery.shape,
  project_id: id.optional(),
  folder_id: id.optional(),
  tag: z.string().trim().min(1).max(100).optional(),
  test_set_id: id.optional().describe("Only tests of this test set."),
  q: z.string().trim().min(1).max(MAX_QUERY).optional(),
  ...timeRange,
  sort: sortOrder,
});

/** Creates a test from a body, for sessions and runners. */
export const createTestFrom = async (
  services: Services,
  context: CommandContext,
  body: z.output<typeof testInput>,
): Promise<OperationResponse> => {
  if (body.text !== undefined) await readText(body.text);
  const content = contentOf(body);
  if (!content) throw new ApiError(422, "text: text or steps is required");
  const { projectId = null, folderId = null } = await placeOf(services, context, body);
  const { commands } = services.catalogue;
  if (body.tags) await commands.checkTagNames(context, body.tags);
  const written = await commands.createTest(context, {
    name: body.name,
    projectId,
    folderId,
    language: body.language,
    platform: body.platform,
    ...content,
    source: body.source,
  });
  const answer = { status: 201, body: writtenTest(written, null, content) };
  return withTags(services, context, body.tags, { ...answer, receipt: written.receipt });
};

/** Renders a written test and sets its tags if any are given. */
const withTags = async (
  { catalogue }: Services,
  context: CommandContext,
  names: readonly string[] | undefined,
  written: { status: number; body: ReturnType<typeof writtenTest>; receipt: Receipt },
): Promise<OperationResponse> => {
  if (names === undefined) return written;
  const { id: testId } = written.body;
  const { tags, receipt } = await catalogue.commands.setTagsOfTest(context, testId, names);
  return {
    ...written,
    body: { ...written.body, tags },
    receipt: joinReceipts([written.receipt, receipt]),
  };
};

/** A page of the organisation's tests. Throws ApiError 404 for an unknown project, folder or tag id, 403 for a foreign one. */
export const listTestsFor = async (
  services: Services,
  principal: { readonly organizationId: string },
  query: z.output<typeof testListQuery>,
): Promise<OperationResponse> => {
  const { queries } = services.catalogue;
  const { project_id: projectId, folder_id: folderId, test_set_id: testSetId } = query;
  const { tag, q, since, until, limit } = query;
  if (q !== undefined && query.sort === "created_at") {
    throw new ApiError(422, "sort: tests that match `q` are sorted by rank; leave out one of them");
  }
  if (projectId !== undefined) owned(await queries.findProject(projectId), principal, "project");
  if (folderId !== undefined) owned(await queries.findFolder(folderId), principal, "folder");
  if (tag !== undefined && id.safeParse(tag).success) {
    owned(await queries.findTag(tag), principal, "tag");
  }
  if (testSetId !== undefined) owned(await queries.findTestSet(testSetId), principal, "test set");
  const filter = { projectId, folderId, testSetId, tag, q, since, until };
  const rows = await queries.listTests(principal.organizationId, query, filter);
  return { status: 200, body: toPage(rows.map(summaryBody), limit) };
};

const createTest = defineOperation({
  id: "createTest",
  method: "POST",
  path: "/tests",
  tag: "Tests",
  summary: "Create a test from plain English or from steps",
  auth: "member",
  permission: "catalogue:write",
  body: testInput,
  responses: { 201: test },
  errors: [409],
  example: {
    body: { name: "Sign in", project_id: summaryExample.project_id, text: textExample },
    response: testExample,
  },
  handler: ({ body, context, services }) => createTestFrom(services, context, body),
});

const listTests = defineOperation({
  id: "listTests",
  method: "GET",
  path: "/tests",
  tag: "Tests",
  summary: "List tests, newest first unless sorted; with `q`, best match first",
  auth: "member",
  permission: "results:read",
  query: testListQuery,
  responses: { 200: pageOf(testSummary) },
  errors: [404],
  example: { response: { items: [summaryExample], next_cursor: null } },
  handler: ({ query, principal, services }) => listTestsFor(services, principal, query),
});

/** A test at an instant, with its current tags. Throws ApiError 404 if it did not exist then. */
const testAsOf = async (
  { queries }: Services["catalogue"],
  testId: string,
  instant: string,
  caller: { readonly organizationId: string },
): Promise<TestDetail> => {
  const now = owned(await queries.findTest(testId, { deletedToo: true }), caller, "test");
  const then = await queries.findVersionAt(testId, instant);
  if (!then || then.event === "TestDeleted") {
    throw new ApiError(404, `The test did not exist at ${instant}.`);
  }
  const { version, name, projectId, folderId, text, steps, at } = then;
  const place = { project_id: projectId, folder_id: folderId };
  const content = { text, steps, step_count: steps.length };
  return { ...now, name, ...place, ...content, updated_at: at, version };
};

const readTest = defineOperation({
  id: "readTest",
  method: "GET",
  path: "/tests/{id}",
  tag: "Tests",
  summary: "Read a test with its steps, now or at an instant",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: z.object({ as_of: z.iso.datetime({ offset: true }).optional() }),
  responses: { 200: test },
  example: { response: testExample },
  handler: async ({ params, query, principal, services }) => {
    if (query.as_of !== undefined) {
      const then = await testAsOf(services.catalogue, params.id, query.as_of, principal);
      return { status: 200, body: testBody(then) };
    }
    const found = await services.catalogue.queries.findTest(params.id);
    if (!found) await refuseImported(services, params.id, principal);
    const row = owned(found, principal, "test");
    await readText(row.text);
    return { status: 200, body: testBody(row) };
  },
});

/** Runs link tests that have only imported results. The message names the address of these. */
const refuseImported = async (
  { resultImports }: Pick<Services, "resultImports">,
  id: string,
  principal: { readonly organizationId: string },
): Promise<void> => {
  const imported = await resultImports.queries.findImportedTest(id);
  if (imported?.organization_id !== principal.organizationId) return;
  throw new ApiError(
    404,
    `This test has only imported results and no steps. Its results are at /api/v1/reports/tests/${id}.`,
  );
};

const changeTest = defineOperation({
  id: "changeTest",
  method: "PUT",
  path: "/tests/{id}",
  tag: "Tests",
  summary:
    "Change a test: name, project, folder, text, steps or tags; omitted fields keep their values",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: testChanges,
  ifMatch: true,
  responses: { 200: test },
  errors: [409],
  example: { body: { name: "Sign in" }, response: { ...testExample, version: 2 } },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    if (body.text !== undefined) await readText(body.text);
    const content = contentOf(body);
    const before = await queries.findTest(params.id);
    if (body.tags) await commands.checkTagNames(context, body.tags);
    const written = await commands.changeTest(
      context,
      params.id,
      {
        name: body.name,
        ...(await placeOf(services, context, body)),
        content: content ?? undefined,
        source: body.source,
      },
      request.ifMatch,
    );
    const answer = { status: 200, body: writtenTest(written, before, content) };
    return withTags(services, context, body.tags, { ...answer, receipt: written.receipt });
  },
});

const deleteTest = defineOperation({
  id: "deleteTest",
  method: "DELETE",
  path: "/tests/{id}",
  tag: "Tests",
  summary: "Delete a test; its runs are kept, and it can be restored for 30 days",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, principal, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request may have deleted it itself.
    if (!context.again) owned(await queries.findTest(params.id), principal, "test");
    return { status: 204, receipt: await commands.deleteTest(context, params.id, request.ifMatch) };
  },
});

export const testOperations: readonly Operation[] = [
  createTest,
  listTests,
  readTest,
  changeTest,
  deleteTest,
];
