import { z } from "zod";
import { apiKeyName } from "../../../domain/organizations/names.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";

const apiKey = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().describe("The first characters of the key, to recognise it by."),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
  })
  .meta({ id: "ApiKey", description: "An API key, without the key itself." });

const exampleKey = {
  id: "019a5a6e-3f02-7000-8000-5a1de1f0a003",
  name: "ci",
  prefix: "ak_live_7Fq2",
  created_at: "2026-03-01T10:11:12.345Z",
  expires_at: null,
};

const createApiKey = defineOperation({
  id: "createApiKey",
  method: "POST",
  path: "/api-keys",
  tag: "API Keys",
  summary: "Create an API key; only this response contains the key",
  auth: "member",
  permission: "organization:manage",
  body: z.object({
    name: apiKeyName,
    expires_at: z.iso
      .datetime({ offset: true, error: "must be an ISO 8601 time such as 2027-01-31T00:00:00Z" })
      .nullish(),
  }),
  responses: { 201: apiKey.extend({ key: z.string() }) },
  errors: [409, 422],
  example: {
    body: { name: "ci" },
    response: { ...exampleKey, key: "ak_live_7Fq2…" },
  },
  handler: async ({ body, principal, services, context }) => {
    const made = await services.organizations.commands.createApiKey(context, {
      organizationId: principal.organizationId,
      name: body.name,
      expiresAt: body.expires_at ? new Date(body.expires_at).toISOString() : null,
    });
    const { name, prefix, key } = made;
    return {
      status: 201,
      body: {
        id: made.id,
        name,
        prefix,
        key,
        created_at: made.createdAt,
        expires_at: made.expiresAt,
      },
      receipt: made.receipt,
    };
  },
});

const listApiKeys = defineOperation({
  id: "listApiKeys",
  method: "GET",
  path: "/api-keys",
  tag: "API Keys",
  summary: "List the organisation's active API keys, newest first",
  auth: "member",
  permission: "organization:manage",
  query: pageQuery,
  responses: { 200: pageOf(apiKey.extend({ last_used_at: timestamp.nullable() })) },
  errors: [422],
  example: { response: { items: [{ ...exampleKey, last_used_at: null }], next_cursor: null } },
  handler: async ({ query, principal, services }) => {
    const rows = await services.organizations.queries.listApiKeys(principal.organizationId, query);
    return { status: 200, body: toPage(rows, query.limit) };
  },
});

const revokeApiKey = defineOperation({
  id: "revokeApiKey",
  method: "DELETE",
  path: "/api-keys/{id}",
  tag: "API Keys",
  summary: "Revoke an API key with immediate effect",
  auth: "member",
  permission: "organization:manage",
  params: idParams,
  responses: { 204: null },
  errors: [404],
  handler: async ({ params, principal, services, context }) => ({
    status: 204,
    receipt: await services.organizations.commands.revokeApiKey(context, {
      organizationId: principal.organizationId,
      keyId: params.id,
    }),
  }),
});

export const apiKeyOperations: readonly Operation[] = [createApiKey, listApiKeys, revokeApiKey];
