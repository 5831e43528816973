import { z } from "zod";
import type { WrittenContact } from "../../../commands/notifications/contacts.ts";
import { preferences } from "../../../domain/notifications/contacts.ts";
import { displayName } from "../../../domain/organizations/names.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";
import { email } from "../identity/shapes.ts";
import { owned } from "../kernel/ownership.ts";

const contact = z
  .object({
    id,
    created_at: timestamp,
    updated_at: timestamp,
    version: z.int().positive(),
    name: z.string().nullable().describe("Null if the person was erased."),
    email: z.string().nullable(),
    verified: z
      .boolean()
      .describe("Whether the recipient has confirmed the address. No notification is sent before."),
    enabled: z.boolean(),
  })
  .meta({ id: "Contact", description: "A recipient of notifications." });

const example = {
  id: "019a5a6e-3f05-7000-8000-5a1de1f0a00f",
  created_at: "2026-03-01T10:11:12.345Z",
  updated_at: "2026-03-01T10:11:12.345Z",
  version: 1,
  name: "Ann",
  email: "ann@example.com",
  verified: false,
  enabled: true,
} as const;

const writing = { tag: "Notifications", auth: "member", permission: "schedules:write" } as const;
const reading = { tag: "Notifications", auth: "member", permission: "results:read" } as const;

const writtenBody = (written: WrittenContact, createdAt: string) => {
  const { receipt: _, at, ...shown } = written;
  return { ...shown, created_at: createdAt, updated_at: at ?? createdAt };
};

const addContact = defineOperation({
  ...writing,
  id: "addContact",
  method: "POST",
  path: "/notifications/contacts",
  summary: "Add a notification contact, which must confirm its address by mail",
  body: z.strictObject({ email, name: displayName.optional() }),
  responses: { 201: contact },
  errors: [409],
  example: { body: { email: example.email, name: example.name }, response: example },
  handler: async ({ body, context, services }) => {
    const input = { name: body.name ?? "", email: body.email };
    const written = await services.notifications.commands.addContact(context, input);
    const at = written.at ?? services.clock().toISOString();
    return { status: 201, body: writtenBody(written, at), receipt: written.receipt };
  },
});

const listContacts = defineOperation({
  ...reading,
  id: "listContacts",
  method: "GET",
  path: "/notifications/contacts",
  summary: "List contacts, newest first",
  query: pageQuery,
  responses: { 200: pageOf(contact) },
  example: { response: { items: [example], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const { commands, queries } = services.notifications;
    const rows = await queries.listContacts(principal.organizationId, query);
    const people = await commands.contactAddresses(rows.map((row) => row.id));
    const items = rows.map(({ organization_id: _, ...row }) => ({
      ...row,
      name: people.get(row.id)?.name ?? null,
      email: people.get(row.id)?.email ?? null,
    }));
    return { status: 200, body: toPage(items, query.limit) };
  },
});

const changeContact = defineOperation({
  ...writing,
  id: "changeContact",
  method: "PUT",
  path: "/notifications/contacts/{id}",
  summary: "Change a contact; a new address must be confirmed",
  params: idParams,
  body: z
    .strictObject({ email, name: displayName, enabled: z.boolean() })
    .partial()
    .refine((body) => Object.keys(body).length > 0, "at least one field is required"),
  ifMatch: true,
  responses: { 200: contact },
  errors: [409],
  example: { body: { enabled: false }, response: { ...example, enabled: false, version: 2 } },
  handler: async ({ params, body, context, principal, request, services }) => {
    const { commands, queries } = services.notifications;
    const before = owned(await queries.findContact(params.id), principal, "contact");
    const written = await commands.changeContact(context, params.id, body, request.ifMatch);
    const shown = { ...writtenBody(written, before.created_at) };
    return {
      status: 200,
      body: { ...shown, updated_at: written.at ?? before.updated_at },
      receipt: written.receipt,
    };
  },
});

const removeContact = defineOperation({
  ...writing,
  id: "removeContact",
  method: "DELETE",
  path: "/notifications/contacts/{id}",
  summary: "Remove a contact",
  params: idParams,
  ifMatch: true,
  responses: { 204: null },
  handler: async ({ params, context, principal, request, services }) => {
    const { commands, queries } = services.notifications;
    // A repeated request may have removed it itself.
    if (!context.again) owned(await queries.findContact(params.id), principal, "contact");
    const receipt = await commands.removeContact(context, params.id, request.ifMatch);
    return { status: 204, receipt };
  },
});

const verifyContact = defineOperation({
  id: "verifyContact",
  method: "POST",
  path: "/notifications/contacts/{id}/verify",
  tag: "Notifications",
  summary: "Confirm a contact's address with the mailed token",
  // The token suffices, because a contact need not be a member.
  auth: "none",
  permission: null,
  params: idParams,
  body: z.strictObject({
    token: z.string().min(1, "must not be empty").max(200, "is not valid"),
  }),
  responses: { 204: null },
  errors: [422],
  example: { body: { token: "q1w2e3r4t5z6" } },
  handler: async ({ params, body, context, services }) => {
    const { commands, queries } = services.notifications;
    const found = await queries.findContact(params.id);
    const { receipt } = await commands.verifyContact(
      context,
      found?.organization_id ?? "",
      params.id,
      body.token,
    );
    return { status: 204, receipt };
  },
});

const preferencesBody = z
  .object({
    on: preferences.shape.on,
    sources: preferences.shape.sources,
    refusals: z.boolean(),
  })
  .meta({ id: "NotificationPreferences", description: "The runs that notify contacts." });

const readPreferences = defineOperation({
  ...reading,
  id: "readPreferences",
  method: "GET",
  path: "/notifications/preferences",
  summary: "Read which runs notify contacts",
  responses: { 200: preferencesBody },
  example: { response: { on: "changes", sources: ["schedule"], refusals: true } },
  handler: async ({ principal, services }) => ({
    status: 200,
    body: await services.notifications.commands.preferencesOf(principal.organizationId),
  }),
});

const changePreferences = defineOperation({
  ...writing,
  id: "changePreferences",
  method: "PUT",
  path: "/notifications/preferences",
  summary: "Set which runs notify contacts: all, failures, or changes (first failure and recovery)",
  body: z
    .strictObject({
      on: preferences.shape.on,
      sources: preferences.shape.sources,
      refusals: z.boolean(),
    })
    .partial()
    .refine((body) => Object.keys(body).length > 0, "at least one field is required"),
  responses: { 200: preferencesBody },
  example: {
    body: { on: "failures" },
    response: { on: "failures", sources: ["schedule"], refusals: true },
  },
  handler: async ({ body, context, services }) => {
    const changes = Object.fromEntries(
      Object.entries({ ...body, sources: body.sources && [...new Set(body.sources)] }).filter(
        ([, value]) => value !== undefined,
      ),
    );
    const { preferences: now, receipt } = await services.notifications.commands.changePreferences(
      context,
      changes,
    );
    return { status: 200, body: now, receipt };
  },
});

export const contactOperations: readonly Operation[] = [
  addContact,
  listContacts,
  changeContact,
  removeContact,
  verifyContact,
  readPreferences,
  changePreferences,
];
