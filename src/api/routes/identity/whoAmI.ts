import { z } from "zod";
import { roles } from "../../../domain/organizations/permissions.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, timestamp } from "../../schemas.ts";
import { exampleMembership, exampleUser, membership, toUser, user } from "./shapes.ts";

const getMe = defineOperation({
  id: "getMe",
  method: "GET",
  path: "/auth/me",
  tag: "Authentication",
  summary: "Read the signed-in user and their organisations",
  auth: "session",
  permission: null,
  responses: { 200: z.object({ user, organizations: z.array(membership) }) },
  example: { response: { user: exampleUser, organizations: [exampleMembership] } },
  handler: async ({ principal, services }) => {
    const person = await services.identity.commands.findPerson(principal.userId);
    if (!person) throw new ApiError(401, "This user no longer exists.");
    const organizations = await services.memberships.organizationsOf(person.id);
    return { status: 200, body: { user: toUser(person), organizations } };
  },
});

const getConnection = defineOperation({
  id: "getConnection",
  method: "GET",
  path: "/auth/connection",
  tag: "Connection",
  summary: "Check a credential: its user or key, mechanism and organisation",
  auth: "member",
  permission: null,
  responses: {
    200: z.object({
      mechanism: z.enum(["session", "api_key"]),
      user: user.nullable(),
      api_key: z.object({ id, name: z.string() }).nullable(),
      organization: z.object({ id, name: z.string() }),
      role: z.enum([...roles, "api_key"]),
      server_time: timestamp,
      version: z.string(),
    }),
  },
  example: {
    response: {
      mechanism: "api_key",
      user: null,
      api_key: { id: "019a5a6e-3f02-7000-8000-5a1de1f0a003", name: "ci" },
      organization: { id: exampleMembership.id, name: exampleMembership.name },
      role: "api_key",
      server_time: "2026-03-01T10:11:12.345Z",
      version: "0.1.0",
    },
  },
  handler: async ({ principal, services }) => {
    const { organizationId } = principal;
    const person =
      principal.kind === "session"
        ? await services.identity.commands.findPerson(principal.userId)
        : null;
    return {
      status: 200,
      body: {
        mechanism: principal.kind,
        user: person && toUser(person),
        api_key:
          principal.kind === "api_key" ? { id: principal.keyId, name: principal.keyName } : null,
        organization: {
          id: organizationId,
          name: await services.organizations.commands.nameOf(organizationId),
        },
        role: principal.standing,
        server_time: services.clock().toISOString(),
        version: services.version,
      },
    };
  },
});

const getJwks = defineOperation({
  id: "getJwks",
  method: "GET",
  path: "/auth/jwks.json",
  tag: "Authentication",
  summary: "Read the public keys that verify access tokens (RFC 7517)",
  auth: "none",
  permission: null,
  responses: {
    200: z.object({
      keys: z.array(
        z.object({
          kty: z.string(),
          crv: z.string(),
          x: z.string(),
          y: z.string(),
          kid: z.string(),
          alg: z.string(),
          use: z.string(),
        }),
      ),
    }),
  },
  example: {
    response: {
      keys: [
        {
          kty: "EC",
          crv: "P-256",
          x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
          y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
          kid: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
          alg: "ES256",
          use: "sig",
        },
      ],
    },
  },
  handler: async ({ services }) => ({ status: 200, body: services.identity.commands.jwks() }),
});

export const whoAmIOperations: readonly Operation[] = [getMe, getConnection, getJwks];
