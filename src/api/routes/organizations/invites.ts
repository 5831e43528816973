import { z } from "zod";
import { roles } from "../../../domain/organizations/permissions.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";
import { email, membership } from "../identity/shapes.ts";
import { givenRole, organizationExample } from "./shapes.ts";

const invite = z
  .object({
    id,
    email: z.string().nullable(),
    role: givenRole,
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "Invite", description: "An invitation to an organisation." });

const example = {
  id: "019a5a6e-3f05-7000-8000-5a1de1f0a006",
  email: "bob@example.com",
  role: "editor",
  created_at: "2026-03-01T10:11:12.345Z",
  expires_at: "2026-03-08T10:11:12.345Z",
} as const;

const token = z.string().min(1, "must not be empty").max(200, "is not valid");

const createInvite = defineOperation({
  id: "createInvite",
  method: "POST",
  path: "/invites",
  tag: "Invites",
  summary: "Invite a person into the organisation by mail",
  auth: "member",
  permission: "organization:manage",
  body: z.strictObject({ email, role: givenRole }),
  responses: { 201: invite },
  errors: [409],
  example: { body: { email: example.email, role: "editor" }, response: example },
  handler: async ({ body, principal, context, services }) => {
    const { organizationId } = principal;
    const made = await services.invites.commands.invite(context, { ...body, organizationId });
    return {
      status: 201,
      body: {
        id: made.id,
        email: made.email,
        role: made.role,
        created_at: made.createdAt,
        expires_at: made.expiresAt,
      },
      receipt: made.receipt,
    };
  },
});

const listInvites = defineOperation({
  id: "listInvites",
  method: "GET",
  path: "/invites",
  tag: "Invites",
  summary: "List open and expired invites, newest first",
  auth: "member",
  permission: "organization:manage",
  query: pageQuery,
  responses: { 200: pageOf(invite) },
  example: { response: { items: [example], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.organizations.queries.listInvites(principal.organizationId, query);
    const emails = await services.invites.commands.emailsOf(rows.map((row) => row.id));
    const items = rows.map((row) => ({ ...row, email: emails.get(row.id) ?? null }));
    return { status: 200, body: toPage(items, query.limit) };
  },
});

const revokeInvite = defineOperation({
  id: "revokeInvite",
  method: "DELETE",
  path: "/invites/{id}",
  tag: "Invites",
  summary: "Revoke an invite and its link",
  auth: "member",
  permission: "organization:manage",
  params: idParams,
  responses: { 204: null },
  errors: [409],
  handler: async ({ params, principal, context, services }) => {
    const { organizationId } = principal;
    const { commands } = services.invites;
    return { status: 204, receipt: await commands.revoke(context, organizationId, params.id) };
  },
});

const resendInvite = defineOperation({
  id: "resendInvite",
  method: "POST",
  path: "/invites/{id}/resend",
  tag: "Invites",
  summary: "Send an invite again with a new link, valid for seven days",
  auth: "member",
  permission: "organization:manage",
  params: idParams,
  responses: { 200: z.object({ id, email: z.string(), expires_at: timestamp }) },
  errors: [409],
  example: {
    response: { id: example.id, email: example.email, expires_at: example.expires_at },
  },
  handler: async ({ params, principal, context, services }) => {
    const { commands } = services.invites;
    const resent = await commands.resend(context, principal.organizationId, params.id);
    return {
      status: 200,
      body: { id: params.id, email: resent.email, expires_at: resent.expiresAt },
      receipt: resent.receipt,
    };
  },
});

const lookUpInvite = defineOperation({
  id: "lookUpInvite",
  method: "GET",
  path: "/invites/lookup",
  tag: "Invites",
  summary: "Read the invite of a token",
  auth: "none",
  permission: null,
  query: z.object({ token }),
  responses: {
    200: z.object({
      organization: z.object({ id, name: z.string() }),
      role: z.enum(roles),
      email: z.string(),
      expires_at: timestamp,
    }),
  },
  errors: [404],
  example: {
    response: {
      organization: { id: organizationExample.id, name: organizationExample.name },
      role: "editor",
      email: example.email,
      expires_at: example.expires_at,
    },
  },
  handler: async ({ query, services }) => {
    const seen = await services.invites.commands.preview(query.token);
    return {
      status: 200,
      body: {
        organization: { id: seen.organizationId, name: seen.organizationName },
        role: seen.role,
        email: seen.email,
        expires_at: seen.expiresAt,
      },
    };
  },
});

const acceptInvite = defineOperation({
  id: "acceptInvite",
  method: "POST",
  path: "/invites/accept",
  tag: "Invites",
  summary: "Accept an invite as the invited person",
  auth: "session",
  permission: null,
  body: z.strictObject({ token }),
  responses: { 200: z.object({ organization: membership }) },
  errors: [409],
  example: {
    body: { token: "5d1f…" },
    response: {
      organization: { id: organizationExample.id, name: organizationExample.name, role: "editor" },
    },
  },
  handler: async ({ body, principal, context, services }) => {
    const { userId } = principal;
    const accepted = await services.invites.commands.accept(context, { ...body, userId });
    const { receipt, ...organization } = accepted;
    return { status: 200, body: { organization }, receipt };
  },
});

export const inviteOperations: readonly Operation[] = [
  createInvite,
  listInvites,
  revokeInvite,
  resendInvite,
  lookUpInvite,
  acceptInvite,
];
