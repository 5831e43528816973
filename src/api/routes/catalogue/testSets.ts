import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import { type ActiveTestSet, MAX_ITEMS } from "../../../domain/catalogue/testSet.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import type { TestSetRow } from "../../../projections/catalogue/testSetQueries.ts";
import { defineOperation, type Operation, type OperationResponse } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { testSetExample, testSetSummaryExample } from "./examples.ts";
import {
  testSet,
  testSetBody,
  testSetSummary,
  testSetSummaryBody,
  writtenTestSet,
} from "./shapes.ts";

const testIds = z.array(id).max(MAX_ITEMS, `must name at most ${MAX_ITEMS} tests`);

const answer = async (
  services: Services,
  status: number,
  written: Written<ActiveTestSet>,
  before: TestSetRow | null,
): Promise<OperationResponse> => {
  const items = await services.catalogue.queries.itemsOf(written.state.testIds);
  return { status, body: writtenTestSet(written, before, items), receipt: written.receipt };
};

/** Changes a test set and renders the result. */
const changed = async (
  services: Services,
  testSetId: string,
  change: (commands: Services["catalogue"]["commands"]) => Promise<Written<ActiveTestSet>>,
): Promise<OperationResponse> => {
  const { commands, queries } = services.catalogue;
  const before = await queries.findTestSet(testSetId);
  return answer(services, 200, await change(commands), before);
};

const createTestSet = defineOperation({
  id: "createTestSet",
  method: "POST",
  path: "/test-sets",
  tag: "Test Sets",
  summary: "Create a test set",
  auth: "member",
  permission: "catalogue:write",
  body: z.strictObject({
    name: displayName,
    project_id: id.nullable().optional(),
    test_ids: testIds.default([]),
  }),
  responses: { 201: testSet },
  example: {
    body: { name: "Every night", test_ids: testSetExample.test_ids },
    response: testSetExample,
  },
  handler: async ({ body, context, services }) => {
    const { name, project_id: projectId = null, test_ids } = body;
    const { commands } = services.catalogue;
    const written = await commands.createTestSet(context, { name, projectId, testIds: test_ids });
    return answer(services, 201, written, null);
  },
});

const listTestSets = defineOperation({
  id: "listTestSets",
  method: "GET",
  path: "/test-sets",
  tag: "Test Sets",
  summary: "List test sets, newest first",
  auth: "member",
  permission: "results:read",
  query: z.object({ ...pageQuery.shape, project_id: id.optional() }),
  responses: { 200: pageOf(testSetSummary) },
  errors: [404],
  example: { response: { items: [testSetSummaryExample], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const { queries } = services.catalogue;
    const { project_id: projectId, limit } = query;
    if (projectId !== undefined) owned(await queries.findProject(projectId), principal, "project");
    const rows = await queries.listTestSets(principal.organizationId, query, projectId);
    return { status: 200, body: toPage(rows.map(testSetSummaryBody), limit) };
  },
});

const readTestSet = defineOperation({
  id: "readTestSet",
  method: "GET",
  path: "/test-sets/{id}",
  tag: "Test Sets",
  summary: "Read a test set with its tests, in order",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: testSet },
  example: { response: testSetExample },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.catalogue;
    const found = owned(await queries.findTestSet(params.id), principal, "test set");
    return { status: 200, body: testSetBody(found, await queries.itemsOf(found.test_ids)) };
  },
});

const renameTestSet = defineOperation({
  id: "renameTestSet",
  method: "PUT",
  path: "/test-sets/{id}",
  tag: "Test Sets",
  summary: "Rename a test set",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ name: displayName }),
  ifMatch: true,
  responses: { 200: testSet },
  example: { body: { name: "Every night" }, response: { ...testSetExample, version: 2 } },
  handler: ({ params, body, context, request, services }) =>
    changed(services, params.id, (commands) =>
      commands.renameTestSet(context, params.id, body.name, request.ifMatch),
    ),
});

const deleteTestSet = defineOperation({
  id: "deleteTestSet",
  method: "DELETE",
  path: "/test-sets/{id}",
  tag: "Test Sets",
  summary: "Delete a test set; its tests are kept",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request may have deleted it itself.
    if (!context.again) owned(await queries.findTestSet(params.id), principal, "test set");
    const receipt = await commands.deleteTestSet(context, params.id, request.ifMatch);
    return { status: 204, receipt };
  },
});

const items = z.strictObject({ test_ids: testIds.min(1, "must name at least one test") });
const itemsExample = {
  body: { test_ids: testSetExample.test_ids },
  response: { ...testSetExample, version: 2 },
};

const addTestSetItems = defineOperation({
  id: "addTestSetItems",
  method: "POST",
  path: "/test-sets/{id}/items",
  tag: "Test Set Items",
  summary: "Append tests to a test set; tests already in the set keep their places",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: items,
  ifMatch: true,
  responses: { 200: testSet },
  example: itemsExample,
  handler: ({ params, body, context, request, services }) =>
    changed(services, params.id, (commands) =>
      commands.addToTestSet(context, params.id, body.test_ids, request.ifMatch),
    ),
});

const reorderTestSetItems = defineOperation({
  id: "reorderTestSetItems",
  method: "POST",
  path: "/test-sets/{id}/items/reorder",
  tag: "Test Set Items",
  summary: "Reorder the tests of a test set; the list must contain each test once",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: items,
  ifMatch: true,
  responses: { 200: testSet },
  example: itemsExample,
  handler: ({ params, body, context, request, services }) =>
    changed(services, params.id, (commands) =>
      commands.reorderTestSet(context, params.id, body.test_ids, request.ifMatch),
    ),
});

const removeTestSetItem = defineOperation({
  id: "removeTestSetItem",
  method: "DELETE",
  path: "/test-sets/{id}/items/{test_id}",
  tag: "Test Set Items",
  summary: "Remove a test from a test set",
  auth: "member",
  permission: "catalogue:write",
  params: z.object({ id, test_id: id }),
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, request, services }) => {
    const receipt = await services.catalogue.commands.removeFromTestSet(
      context,
      params.id,
      params.test_id,
      request.ifMatch,
    );
    return { status: 204, receipt };
  },
});

export const testSetOperations: readonly Operation[] = [
  createTestSet,
  listTestSets,
  readTestSet,
  renameTestSet,
  deleteTestSet,
  addTestSetItems,
  reorderTestSetItems,
  removeTestSetItem,
];
