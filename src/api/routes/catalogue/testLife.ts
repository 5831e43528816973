import { z } from "zod";
import { displayName } from "../../../domain/organizations/names.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { idParams } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { testExample } from "./examples.ts";
import { test, writtenTest } from "./shapes.ts";

const MAX_NAME = 100;
const COPY = " (copy)";

const duplicateTest = defineOperation({
  id: "duplicateTest",
  method: "POST",
  path: "/tests/{id}/duplicate",
  tag: "Tests",
  summary: "Duplicate a test; tags are not copied",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ name: displayName.optional() }).default({}),
  responses: { 201: test },
  example: { body: { name: "Sign in as admin" }, response: testExample },
  handler: async ({ params, body, context, principal, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request has copied it before it was deleted.
    const deletedToo = context.again === true;
    const from = owned(await queries.findTest(params.id, { deletedToo }), principal, "test");
    const copied = await queries.findVersion(params.id, from.version);
    const written = await commands.createTest(context, {
      name: body.name ?? `${from.name.slice(0, MAX_NAME - COPY.length).trimEnd()}${COPY}`,
      projectId: from.project_id,
      folderId: from.folder_id,
      language: from.language,
      platform: from.platform,
      text: from.text,
      steps: from.steps,
      ...(copied ? { data: copied.data } : {}),
    });
    return { status: 201, body: writtenTest(written, null, null), receipt: written.receipt };
  },
});

const undeleteTest = defineOperation({
  id: "undeleteTest",
  method: "POST",
  path: "/tests/{id}/undelete",
  tag: "Tests",
  summary: "Restore a deleted test within 30 days",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  responses: { 200: test },
  example: { response: { ...testExample, version: 3 } },
  handler: async ({ params, context, services }) => {
    const { commands, queries } = services.catalogue;
    const before = await queries.findTest(params.id, { deletedToo: true });
    const written = await commands.undeleteTest(context, params.id);
    return { status: 200, body: writtenTest(written, before, null), receipt: written.receipt };
  },
});

const revertTest = defineOperation({
  id: "revertTest",
  method: "POST",
  path: "/tests/{id}/revert",
  tag: "Tests",
  summary: "Restore name, text, steps and data of a version; project and folder are kept",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ version: z.int().positive().max(2_147_483_647) }),
  ifMatch: true,
  responses: { 200: test },
  example: { body: { version: 1 }, response: { ...testExample, version: 3 } },
  handler: async ({ params, body, context, principal, request, services }) => {
    const { commands, queries } = services.catalogue;
    const before = owned(await queries.findTest(params.id), principal, "test");
    const was = await queries.findHistoryEntry(params.id, body.version);
    if (!was) throw new ApiError(422, `version: the test has no version ${body.version}.`);
    const { version, name, text, steps, data } = was;
    const at = { version, name, text, steps, data };
    const written = await commands.revertTest(context, params.id, at, request.ifMatch);
    return { status: 200, body: writtenTest(written, before, null), receipt: written.receipt };
  },
});

export const testLifeOperations: readonly Operation[] = [duplicateTest, undeleteTest, revertTest];
