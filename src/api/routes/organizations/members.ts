import { z } from "zod";
import { mayDo } from "../../../domain/organizations/permissions.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, toPage } from "../../schemas.ts";
import {
  givenRole,
  member,
  memberExample,
  memberParams,
  organization,
  organizationExample,
  writtenOrganization,
} from "./shapes.ts";

const listMembers = defineOperation({
  id: "listMembers",
  method: "GET",
  path: "/organizations/{id}/members",
  tag: "Members",
  summary: "List the members of an organisation with their roles",
  auth: "organization",
  permission: "organization:manage",
  params: idParams,
  query: pageQuery,
  responses: { 200: pageOf(member) },
  example: { response: { items: [memberExample], next_cursor: null } },
  handler: async ({ params, query, services }) => {
    const rows = await services.organizations.queries.listMembers(params.id, query);
    return { status: 200, body: toPage(rows, query.limit) };
  },
});

const changeRole = defineOperation({
  id: "changeRole",
  method: "PUT",
  path: "/organizations/{id}/members/{user_id}",
  tag: "Members",
  summary: "Change the role of a member with immediate effect",
  auth: "organization",
  permission: "organization:manage",
  params: memberParams,
  body: z.strictObject({ role: givenRole }),
  responses: { 200: member },
  errors: [409],
  example: { body: { role: "editor" }, response: memberExample },
  handler: async ({ params, body, principal, context, services }) => {
    const { commands, queries } = services.organizations;
    const change = { userId: params.user_id, role: body.role, by: userOf(principal) };
    const written = await commands.changeRole(context, params.id, change);
    const found = await queries.findMember(params.id, params.user_id);
    if (!found) throw new ApiError(404, "This user is not a member of the organisation.");
    return { status: 200, body: { ...found, role: body.role }, receipt: written.receipt };
  },
});

const removeMember = defineOperation({
  id: "removeMember",
  method: "DELETE",
  path: "/organizations/{id}/members/{user_id}",
  tag: "Members",
  summary: "Remove a member, or leave; the owner cannot leave",
  auth: "organization",
  // Every member may leave; removing others is checked below.
  permission: null,
  params: memberParams,
  responses: { 204: null },
  errors: [409],
  handler: async ({ params, principal, context, services }) => {
    const { commands, queries } = services.organizations;
    const by = principal.kind === "session" ? principal.userId : null;
    if (by !== params.user_id) {
      const verdict = mayDo(principal.standing, "organization:manage");
      if (!verdict.allowed) throw new ApiError(403, verdict.reason);
    }
    const found = context.again || (await queries.findMember(params.id, params.user_id));
    if (!found) throw new ApiError(404, "This user is not a member of the organisation.");
    const removal = { userId: params.user_id, by: userOf(principal) };
    const { receipt } = await commands.removeMember(context, params.id, removal);
    return { status: 204, receipt };
  },
});

const transferOwnership = defineOperation({
  id: "transferOwnership",
  method: "POST",
  path: "/organizations/{id}/transfer",
  tag: "Members",
  summary: "Transfer the ownership to another member; the previous owner becomes an admin",
  auth: "organization",
  permission: "organization:own",
  params: idParams,
  body: z.strictObject({ user_id: id }),
  responses: { 200: organization },
  errors: [409],
  example: { body: { user_id: memberExample.id }, response: organizationExample },
  handler: async ({ params, body, principal, context, services }) => {
    const { commands, queries } = services.organizations;
    const before = await queries.findOrganization(params.id);
    const transfer = { to: body.user_id, by: userOf(principal) };
    const written = await commands.transferOwnership(context, params.id, transfer);
    return { status: 200, body: writtenOrganization(written, before), receipt: written.receipt };
  },
});

/** The caller as a member. Throws ApiError 403 for API keys. */
const userOf = (
  principal: { readonly kind: "session"; readonly userId: string } | { readonly kind: "api_key" },
): string => {
  if (principal.kind === "session") return principal.userId;
  throw new ApiError(403, "This operation requires a signed-in person. API keys are not accepted.");
};

export const memberOperations: readonly Operation[] = [
  listMembers,
  changeRole,
  removeMember,
  transferOwnership,
];
