import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";

const shared = {
  method: "GET",
  tag: "Admin",
  auth: "admin",
  permission: null,
  query: pageQuery,
} as const;

const at = "2026-03-01T10:11:12.345Z";

const mail = z
  .object({
    id,
    kind: z.string(),
    status: z
      .enum(["due", "sent", "kept", "refused", "given_up"])
      .describe("`kept`: no mail server is configured, and the mail is stored here."),
    created_at: timestamp,
    attempts: z.int(),
    last_error: z.string().nullable(),
    ended_at: timestamp.nullable(),
    to: z.string().nullable().describe("The text of a `kept` mail, null for others."),
    subject: z.string().nullable(),
    text: z.string().nullable(),
  })
  .meta({ id: "OutboxMail", description: "A mail in the outbox." });

const listOutbox = defineOperation({
  ...shared,
  id: "listOutbox",
  path: "/admin/outbox",
  summary:
    "List the mail of the last week, newest first; includes texts if no mail server is configured",
  responses: { 200: pageOf(mail) },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f00-7000-8000-5a1de1f0a00d",
          kind: "verify_email",
          status: "kept",
          created_at: at,
          attempts: 0,
          last_error: null,
          ended_at: at,
          to: "ann@example.com",
          subject: "Confirm your e-mail address",
          text: "Hello Ann Example, …",
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ query, services, context }) => {
    const rows = await services.admin.listMail(query);
    const subjects = rows.slice(0, query.limit).map((row) => row.id);
    await services.inspector.commands.noteLook(context, { at: "list_mail", subjects });
    const items = rows.map(({ mail, ...row }) => ({
      ...row,
      to: mail?.to.address ?? null,
      subject: mail?.subject ?? null,
      text: mail?.text ?? null,
    }));
    return { status: 200, body: toPage(items, query.limit) };
  },
});

const listUsers = defineOperation({
  ...shared,
  id: "listUsers",
  path: "/admin/users",
  summary: "List all accounts, newest first, without names and addresses",
  responses: {
    200: pageOf(
      z.object({ id, created_at: timestamp, email_verified: z.boolean(), organizations: z.int() }),
    ),
  },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f00-7000-8000-5a1de1f0a001",
          created_at: at,
          email_verified: true,
          organizations: 1,
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ query, services, context }) => {
    const page = toPage(await services.admin.queries.listUsers(query), query.limit);
    const subjects = page.items.map((user) => `user-${user.id}`);
    await services.inspector.commands.noteLook(context, { at: "list_users", subjects });
    return { status: 200, body: page };
  },
});

const listAllOrganizations = defineOperation({
  ...shared,
  id: "listAllOrganizations",
  path: "/admin/organizations",
  summary: "List all organisations, newest first",
  responses: {
    200: pageOf(
      z.object({
        id,
        name: z.string(),
        created_at: timestamp,
        deletion_due_at: timestamp.nullable(),
        members: z.int(),
      }),
    ),
  },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f01-7000-8000-5a1de1f0a002",
          name: "Example",
          created_at: at,
          deletion_due_at: null,
          members: 3,
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ query, services, context }) => {
    const page = toPage(await services.admin.queries.listOrganizations(query), query.limit);
    const subjects = page.items.map((organization) => `organization-${organization.id}`);
    await services.inspector.commands.noteLook(context, { at: "list_organizations", subjects });
    return { status: 200, body: page };
  },
});

export const adminOperations: readonly Operation[] = [listOutbox, listUsers, listAllOrganizations];
