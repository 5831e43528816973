import { z } from "zod";
import { displayName } from "../../../domain/organizations/names.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { projectExample } from "./examples.ts";
import { project, projectBody, writtenProject } from "./shapes.ts";

const projectInput = z.strictObject({ name: displayName });

const createProject = defineOperation({
  id: "createProject",
  method: "POST",
  path: "/projects",
  tag: "Projects",
  summary: "Create a project",
  auth: "member",
  permission: "catalogue:write",
  body: projectInput,
  responses: { 201: project },
  example: { body: { name: "Web shop" }, response: projectExample },
  handler: async ({ body, context, services }) => {
    const written = await services.catalogue.commands.createProject(context, body.name);
    return { status: 201, body: writtenProject(written, null), receipt: written.receipt };
  },
});

const listProjects = defineOperation({
  id: "listProjects",
  method: "GET",
  path: "/projects",
  tag: "Projects",
  summary: "List projects, newest first",
  auth: "member",
  permission: "results:read",
  query: pageQuery,
  responses: { 200: pageOf(project) },
  example: { response: { items: [projectExample], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.catalogue.queries.listProjects(principal.organizationId, query);
    return { status: 200, body: toPage(rows.map(projectBody), query.limit) };
  },
});

const readProject = defineOperation({
  id: "readProject",
  method: "GET",
  path: "/projects/{id}",
  tag: "Projects",
  summary: "Read a project",
  auth: "member",
  permission: "results:read",
  params: idParams,
  responses: { 200: project },
  example: { response: projectExample },
  handler: async ({ params, principal, services }) => {
    const found = await services.catalogue.queries.findProject(params.id);
    return { status: 200, body: projectBody(owned(found, principal, "project")) };
  },
});

const renameProject = defineOperation({
  id: "renameProject",
  method: "PUT",
  path: "/projects/{id}",
  tag: "Projects",
  summary: "Rename a project",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  body: projectInput,
  ifMatch: true,
  responses: { 200: project },
  example: { body: { name: "Web shop" }, response: { ...projectExample, version: 2 } },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    const before = await queries.findProject(params.id);
    const written = await commands.renameProject(context, params.id, body.name, request.ifMatch);
    return { status: 200, body: writtenProject(written, before), receipt: written.receipt };
  },
});

const deleteProject = defineOperation({
  id: "deleteProject",
  method: "DELETE",
  path: "/projects/{id}",
  tag: "Projects",
  summary: "Delete a project; its tests are kept without a project",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, principal, context, request, services }) => {
    const { commands, queries } = services.catalogue;
    // A repeated request may have deleted it itself.
    if (!context.again) owned(await queries.findProject(params.id), principal, "project");
    return {
      status: 204,
      receipt: await commands.deleteProject(context, params.id, request.ifMatch),
    };
  },
});

export const projectOperations: readonly Operation[] = [
  createProject,
  listProjects,
  readProject,
  renameProject,
  deleteProject,
];
