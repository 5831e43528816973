import { z } from "zod";
import { idFor } from "../../../commands/kernel/context.ts";
import { roles } from "../../../domain/organizations/permissions.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import {
  nameInput,
  organization,
  organizationBody,
  organizationExample,
  settingsInput,
  settingsOf,
  writtenOrganization,
} from "./shapes.ts";

const listed = organization
  .pick({ id: true, name: true, created_at: true, deletion_due_at: true })
  .extend({ role: z.enum(roles) });

const createOrganization = defineOperation({
  id: "createOrganization",
  method: "POST",
  path: "/organizations",
  tag: "Organizations",
  summary: "Create an organisation on the default plan, owned by the caller",
  auth: "session",
  permission: null,
  body: z.strictObject({ name: nameInput }),
  responses: { 201: organization },
  example: { body: { name: "Example" }, response: organizationExample },
  handler: async ({ body, principal, context, services }) => {
    const organizationId = idFor(context, "organization");
    const scoped = { ...context, organizationId };
    const { commands } = services.organizations;
    const made = await commands.createOrganization(scoped, {
      organizationId,
      name: body.name,
      ownerId: principal.userId,
    });
    const plan = await services.billing.commands.startPlan(scoped, { organizationId });
    return {
      status: 201,
      body: writtenOrganization(made, null),
      receipt: {
        position: plan.position ?? made.receipt.position,
        eventTypes: [...made.receipt.eventTypes, ...plan.eventTypes],
      },
    };
  },
});

const listOrganizations = defineOperation({
  id: "listOrganizations",
  method: "GET",
  path: "/organizations",
  tag: "Organizations",
  summary: "List the caller's organisations with their roles, oldest first",
  auth: "session",
  permission: null,
  query: pageQuery,
  responses: { 200: pageOf(listed) },
  example: {
    response: {
      items: [
        {
          id: organizationExample.id,
          name: organizationExample.name,
          role: "owner",
          created_at: organizationExample.created_at,
          deletion_due_at: null,
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ query, principal, services }) => {
    const rows = await services.organizations.queries.listOrganizations(principal.userId, query);
    return { status: 200, body: toPage(rows, query.limit) };
  },
});

const readOrganization = defineOperation({
  id: "readOrganization",
  method: "GET",
  path: "/organizations/{id}",
  tag: "Organizations",
  summary: "Read an organisation",
  auth: "organization",
  permission: null,
  params: idParams,
  responses: { 200: organization },
  example: { response: organizationExample },
  handler: async ({ params, services }) => {
    const found = await services.organizations.queries.findOrganization(params.id);
    if (!found) throw new ApiError(404, "There is no organisation with this id.");
    return { status: 200, body: organizationBody(found) };
  },
});

const changeOrganization = defineOperation({
  id: "changeOrganization",
  method: "PUT",
  path: "/organizations/{id}",
  tag: "Organizations",
  summary: "Change the name or settings of an organisation; omitted fields keep their values",
  auth: "organization",
  permission: "organization:manage",
  params: idParams,
  body: z.strictObject({ name: nameInput.optional(), settings: settingsInput.optional() }),
  ifMatch: true,
  responses: { 200: organization },
  errors: [409],
  example: {
    body: { name: "Example", settings: { time_zone: "Europe/Berlin" } },
    response: { ...organizationExample, version: 2 },
  },
  handler: async ({ params, body, context, request, services }) => {
    const { commands, queries } = services.organizations;
    const before = await queries.findOrganization(params.id);
    const changes = { name: body.name, settings: settingsOf(body.settings) };
    const written = await commands.changeOrganization(context, params.id, changes, request.ifMatch);
    return { status: 200, body: writtenOrganization(written, before), receipt: written.receipt };
  },
});

const deleteOrganization = defineOperation({
  id: "deleteOrganization",
  method: "DELETE",
  path: "/organizations/{id}",
  tag: "Organizations",
  summary: "Schedule the deletion of an organisation in 30 days; until then it can be restored",
  auth: "organization",
  permission: "organization:own",
  params: idParams,
  responses: { 200: organization.pick({ id: true, deletion_due_at: true, version: true }) },
  example: {
    response: {
      id: organizationExample.id,
      deletion_due_at: "2026-03-31T10:11:12.345Z",
      version: 7,
    },
  },
  handler: async ({ params, context, services }) => {
    const written = await services.organizations.commands.scheduleDeletion(context, params.id);
    const { id, deletion_due_at, version } = writtenOrganization(written, null);
    return { status: 200, body: { id, deletion_due_at, version }, receipt: written.receipt };
  },
});

const restoreOrganization = defineOperation({
  id: "restoreOrganization",
  method: "POST",
  path: "/organizations/{id}/restore",
  tag: "Organizations",
  summary: "Cancel the scheduled deletion of an organisation",
  auth: "organization",
  permission: "organization:own",
  params: idParams,
  responses: { 200: organization },
  example: { response: { ...organizationExample, version: 8 } },
  handler: async ({ params, context, services }) => {
    const { commands, queries } = services.organizations;
    const before = await queries.findOrganization(params.id);
    const written = await commands.restore(context, params.id);
    return { status: 200, body: writtenOrganization(written, before), receipt: written.receipt };
  },
});

export const organizationOperations: readonly Operation[] = [
  createOrganization,
  listOrganizations,
  readOrganization,
  changeOrganization,
  deleteOrganization,
  restoreOrganization,
];
