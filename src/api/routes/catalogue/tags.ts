import { z } from "zod";
import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { tagExample } from "./examples.ts";
import { tag, tagBody, writtenTag } from "./shapes.ts";

const tagInput = z.strictObject({ name: displayName });
const ofTest = z.object({ id, tag_id: id });

const createTag = defineOperation({
  id: "createTag",
  method: "POST",
  path: "/tags",
  tag: "Tags",
  summary: "Create a tag; names are unique, ignoring case",
  auth: "member",
  permission: "catalogue:write",
  body: tagInput,
  responses: { 201: tag },
  errors: [409],
  example: { body: { name: "smoke" }, response: tagExample },
  handler: async ({ body, context, services }) => {
    const written = await services.catalogue.commands.createTag(context, body.name);
    return { status: 201, body: writtenTag(written, null), receipt: written.receipt };
  },
});

const listTags = defineOperation({
  id: "listTags",
  method: "GET",
  path: "/tags",
  tag: "Tags",
  summary: "List tags, newest first",
  auth: "member",
  permission: "results:read",
  query: pageQuery,
  responses: { 200: pageOf(tag) },
  example: { response: { items: [tagExample], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.catalogue.queries.listTags(principal.organizationId, query);
    return { status: 200, body: toPage(rows.map(tagBody), query.limit) };
  },
});

const renameTag = defineOperation({
  id: "renameTag",
  method: "PUT",
  path: "/tags/{id}",
  tag: "Tags",
  summary: "Rename a tag",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: tagInput,
  ifMatch: true,
  responses: { 200: tag },
  errors: [409],
  example: { body: { name: "smoke" }, response: { ...tagExample, version: 2 } },
  handler: async ({ params, body, context, principal, request, services }) => {
    const { commands, queries } = services.catalogue;
    const before = owned(await queries.findTag(params.id), principal, "tag");
    const written = await commands.renameTag(context, params.id, body.name, request.ifMatch);
    return { status: 200, body: writtenTag(written, before), receipt: written.receipt };
  },
});

const deleteTag = defineOperation({
  id: "deleteTag",
  method: "DELETE",
  path: "/tags/{id}",
  tag: "Tags",
  summary: "Delete a tag and remove it from all tests",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request may have deleted it itself.
    if (!context.again) owned(await queries.findTag(params.id), principal, "tag");
    return { status: 204, receipt: await commands.deleteTag(context, params.id, request.ifMatch) };
  },
});

/** Throws ApiError 404 for an unknown tag, 403 for a foreign one. The command checks the test. */
const checkTag = async (
  services: Services,
  context: CommandContext,
  tagId: string,
  caller: { readonly organizationId: string },
): Promise<void> => {
  if (context.again) return;
  owned(await services.catalogue.queries.findTag(tagId), caller, "tag");
};

const tagTest = defineOperation({
  id: "tagTest",
  method: "PUT",
  path: "/tests/{id}/tags/{tag_id}",
  tag: "Tags",
  summary: "Add a tag to a test",
  auth: "member",
  permission: "catalogue:write",
  params: ofTest,
  responses: { 204: null },
  errors: [422],
  handler: async ({ params, context, principal, services }) => {
    await checkTag(services, context, params.tag_id, principal);
    const { commands } = services.catalogue;
    return { status: 204, receipt: await commands.tagTest(context, params.id, params.tag_id) };
  },
});

const untagTest = defineOperation({
  id: "untagTest",
  method: "DELETE",
  path: "/tests/{id}/tags/{tag_id}",
  tag: "Tags",
  summary: "Remove a tag from a test",
  auth: "member",
  permission: "catalogue:write",
  params: ofTest,
  responses: { 204: null },
  handler: async ({ params, context, principal, services }) => {
    await checkTag(services, context, params.tag_id, principal);
    const { commands } = services.catalogue;
    return { status: 204, receipt: await commands.untagTest(context, params.id, params.tag_id) };
  },
});

export const tagOperations: readonly Operation[] = [
  createTag,
  listTags,
  renameTag,
  deleteTag,
  tagTest,
  untagTest,
];
