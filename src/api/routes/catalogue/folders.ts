import { z } from "zod";
import { displayName } from "../../../domain/organizations/names.ts";
import type { FolderRow } from "../../../projections/catalogue/rows.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { folderExample, projectExample } from "./examples.ts";
import { folder, folderBody, writtenFolder } from "./shapes.ts";

const folderInput = z.strictObject({
  name: displayName,
  project_id: id.optional(),
  parent_id: id.nullable().optional(),
});

const listedFolder = z
  .object({ ...folder.shape, depth: z.int().positive() })
  .meta({ id: "FolderInTree", description: "A folder with its depth in the tree." });

type Caller = { readonly organizationId: string };

/** The folder in the path; null if a repeated request has deleted it. Throws ApiError 404, 403. */
const folderOf = async (
  services: Services,
  folderId: string,
  caller: Caller,
  again: boolean,
): Promise<FolderRow> =>
  owned(
    await services.catalogue.queries.findFolder(folderId, { deletedToo: again }),
    caller,
    "folder",
  );

/** Throws ApiError 422 if the parent does not exist, 403 if it is foreign. */
const parentOf = async (
  services: Services,
  parentId: string,
  caller: Caller,
  again: boolean,
): Promise<FolderRow> => {
  const parent = await services.catalogue.queries.findFolder(parentId, { deletedToo: again });
  if (!parent) throw new ApiError(422, `parent_id: there is no folder ${parentId}.`);
  return owned(parent, caller, "folder");
};

const createFolder = defineOperation({
  id: "createFolder",
  method: "POST",
  path: "/folders",
  tag: "Folders",
  summary: "Create a folder in a project or in another folder",
  auth: "member",
  permission: "catalogue:write",
  body: folderInput,
  responses: { 201: folder },
  errors: [409],
  example: {
    body: { name: "Checkout", project_id: projectExample.id },
    response: folderExample,
  },
  handler: async ({ body, context, principal, services }) => {
    const { name, parent_id: parentId = null } = body;
    const again = context.again === true;
    const parent = parentId === null ? null : await parentOf(services, parentId, principal, again);
    const projectId = body.project_id ?? parent?.project_id;
    if (projectId === undefined) {
      throw new ApiError(422, "project_id: project_id or parent_id is required");
    }
    const { commands } = services.catalogue;
    const written = await commands.createFolder(context, { projectId, name, parentId });
    return {
      status: 201,
      body: writtenFolder(written, projectId, null),
      receipt: written.receipt,
    };
  },
});

const listFolders = defineOperation({
  id: "listFolders",
  method: "GET",
  path: "/folders",
  tag: "Folders",
  summary: "List the folders in tree order with their depths",
  auth: "member",
  permission: "results:read",
  query: z.object({ ...pageQuery.shape, project_id: id.optional() }),
  responses: { 200: pageOf(listedFolder) },
  errors: [404],
  example: { response: { items: [{ ...folderExample, depth: 1 }], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const { queries } = services.catalogue;
    const { project_id: projectId, limit, cursor } = query;
    if (projectId !== undefined) owned(await queries.findProject(projectId), principal, "project");
    const all = await queries.listFolders(principal.organizationId, projectId);
    const start = cursor === undefined ? 0 : all.findIndex((one) => one.id === cursor) + 1;
    if (cursor !== undefined && start === 0) {
      throw new ApiError(
        422,
        "cursor: the last folder of the previous page no longer exists. Start again without cursor",
      );
    }
    const items = all
      .slice(start, start + limit)
      .map(({ depth, ...row }) => ({ ...folderBody(row), depth }));
    const isMore = start + limit < all.length;
    return {
      status: 200,
      body: { items, next_cursor: isMore ? (items.at(-1)?.id ?? null) : null },
    };
  },
});

const renameFolder = defineOperation({
  id: "renameFolder",
  method: "PUT",
  path: "/folders/{id}",
  tag: "Folders",
  summary: "Rename a folder",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ name: displayName }),
  ifMatch: true,
  responses: { 200: folder },
  errors: [409],
  example: { body: { name: "Checkout" }, response: { ...folderExample, version: 2 } },
  handler: async ({ params, body, context, principal, request, services }) => {
    const before = await folderOf(services, params.id, principal, context.again === true);
    const written = await services.catalogue.commands.renameFolder(
      context,
      { folderId: params.id, projectId: before.project_id },
      body.name,
      request.ifMatch,
    );
    return {
      status: 200,
      body: writtenFolder(written, before.project_id, before),
      receipt: written.receipt,
    };
  },
});

const moveFolder = defineOperation({
  id: "moveFolder",
  method: "POST",
  path: "/folders/{id}/move",
  tag: "Folders",
  summary: "Move a folder with its content into another folder of its project, or to the top level",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: z.strictObject({ parent_id: id.nullable() }),
  ifMatch: true,
  responses: { 200: folder },
  errors: [409],
  example: { body: { parent_id: null }, response: { ...folderExample, version: 2 } },
  handler: async ({ params, body, context, principal, request, services }) => {
    const again = context.again === true;
    const before = await folderOf(services, params.id, principal, again);
    const { parent_id: parentId } = body;
    if (parentId !== null) await parentOf(services, parentId, principal, again);
    const written = await services.catalogue.commands.moveFolder(
      context,
      { folderId: params.id, projectId: before.project_id },
      parentId,
      request.ifMatch,
    );
    return {
      status: 200,
      body: writtenFolder(written, before.project_id, before),
      receipt: written.receipt,
    };
  },
});

const deleteFolder = defineOperation({
  id: "deleteFolder",
  method: "DELETE",
  path: "/folders/{id}",
  tag: "Folders",
  summary: "Delete a folder and its subfolders; their tests are kept in the project",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { project_id } = await folderOf(services, params.id, principal, context.again === true);
    const of = { folderId: params.id, projectId: project_id };
    const receipt = await services.catalogue.commands.deleteFolder(context, of, request.ifMatch);
    return { status: 204, receipt };
  },
});

export const folderOperations: readonly Operation[] = [
  createFolder,
  listFolders,
  renameFolder,
  moveFolder,
  deleteFolder,
];
