import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { ApiError } from "../../../src/api/apiError.ts";
import { type AppDeps, buildApp } from "../../../src/api/app.ts";
import { defineOperation, type Operation, type Principal } from "../../../src/api/operation.ts";
import { binary, idParams, timestamp } from "../../../src/api/schemas.ts";
import { DomainError } from "../../../src/domain/kernel/errors.ts";
import { LogUnavailableError } from "../../../src/platform/eventLog/errors.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createPositions } from "../../../src/projections/kernel/positions.ts";
import type { Projection } from "../../../src/projections/kernel/projection.ts";

export const organizationId = "0190c4f0-0000-7000-8000-000000000001";

const editor: Principal = {
  kind: "session",
  userId: "0190c4f0-0000-7000-8000-0000000000aa",
  sessionId: "0190c4f0-0000-7000-8000-0000000000bb",
  organizationId,
  standing: "editor",
};
const apiKey: Principal = {
  kind: "api_key",
  keyId: "0190c4f0-0000-7000-8000-0000000000cc",
  keyName: "ci",
  organizationId,
  standing: "api_key",
};

const thing = z.object({
  id: z.uuid(),
  name: z.string(),
  version: z.int(),
  created_at: timestamp,
  owner: z.object({ name: z.string() }).nullable(),
});

/** Every error that a handler may throw, by the name that the body gives. */
const errors: Readonly<Record<string, () => Error>> = {
  domain: () => new DomainError("run.unknown", "There is no such run."),
  unmapped: () => new DomainError("nobody.knows", "a message with the secret hunter2"),
  log: () => new LogUnavailableError(new Error("10.0.0.1:2113 refused")),
  database: () =>
    Object.assign(new Error("connect ECONNREFUSED 10.0.0.2"), { code: "ECONNREFUSED" }),
  sql: () => new Error('syntax error at or near "SELECT" hunter2'),
  edge: () => new ApiError(409, "Not now."),
};

/** Operations that exist to be called: one of each kind of input, answer and error. */
export const fakeOperations: readonly Operation[] = [
  defineOperation({
    id: "createThing",
    method: "POST",
    path: "/things",
    tag: "Tests",
    summary: "Makes a thing",
    auth: "member",
    permission: "catalogue:write",
    body: z.object({ name: z.string().min(1).max(20), tags: z.array(z.string()).optional() }),
    later: ["folder_id"],
    responses: { 201: thing },
    handler: async ({ body, context }) => ({
      status: 201,
      body: {
        id: organizationId,
        name: body.name,
        version: 1,
        created_at: "2026-01-02T03:04:05.678Z",
        owner: { name: context.actor.type, password: "never shown" },
        internal: "never shown",
      },
      receipt: { position: 7n, eventTypes: ["ThingMade"] },
      cookies: [{ name: "refresh_token", value: "abc", maxAgeSeconds: 60 }],
    }),
  }),
  defineOperation({
    id: "strict",
    method: "POST",
    path: "/strict",
    tag: "Tests",
    summary: "Takes nothing that it does not know",
    auth: "none",
    permission: null,
    body: z.strictObject({}),
    responses: { 204: null },
    handler: async () => ({ status: 204 }),
  }),
  defineOperation({
    id: "readThing",
    method: "GET",
    path: "/things/{id}",
    tag: "Tests",
    summary: "Reads a thing",
    auth: "member",
    permission: "results:read",
    params: idParams,
    query: z.object({ limit: z.coerce.number().int().max(100).default(50) }),
    responses: { 200: z.object({ id: z.uuid(), limit: z.int() }) },
    handler: async ({ params, query }) => ({
      status: 200,
      body: { id: params.id, limit: query.limit },
    }),
  }),
  defineOperation({
    id: "changeThing",
    method: "PUT",
    path: "/things/{id}",
    tag: "Tests",
    summary: "Says which version was asked for, and who asked",
    auth: "apiKey",
    permission: null,
    params: idParams,
    ifMatch: true,
    responses: { 200: z.object({ asked: z.array(z.int()).nullable(), actor: z.unknown() }) },
    handler: async ({ request, context }) => ({
      status: 200,
      body: { asked: request.ifMatch, actor: context.actor },
    }),
  }),
  defineOperation({
    id: "manageThing",
    method: "DELETE",
    path: "/things/{id}",
    tag: "Tests",
    summary: "Needs more than an editor",
    auth: "member",
    permission: "organization:manage",
    params: idParams,
    responses: { 204: null },
    handler: async () => ({ status: 204 }),
  }),
  defineOperation({
    id: "fail",
    method: "POST",
    path: "/fail/{kind}",
    tag: "Tests",
    summary: "Fails",
    auth: "none",
    permission: null,
    params: z.object({ kind: z.string() }),
    responses: { 204: null },
    handler: async ({ params }) => {
      throw errors[params.kind]?.() ?? new Error("no such error");
    },
  }),
  defineOperation({
    id: "ignored",
    method: "POST",
    path: "/ignored",
    tag: "Tests",
    summary: "Answers a bare string",
    auth: "none",
    permission: null,
    responses: { 200: z.string() },
    handler: async () => ({ status: 200, body: "ignored" }),
  }),
  defineOperation({
    id: "downloadThing",
    method: "GET",
    path: "/things/{execution_id}/file",
    tag: "Export",
    summary: "A file",
    auth: "download",
    permission: "results:read",
    params: z.object({ execution_id: z.uuid() }),
    responses: { 200: binary("application/zip", "The file") },
    handler: async () => ({
      status: 200,
      body: Buffer.from([1, 2, 3]),
      headers: {
        "content-type": "application/zip",
        "content-disposition": 'attachment; filename="a.zip"',
      },
    }),
  }),
  defineOperation({
    id: "login",
    method: "POST",
    path: "/login",
    tag: "Authentication",
    summary: "Counts attempts",
    auth: "none",
    permission: null,
    body: z.object({ email: z.string() }),
    responses: { 200: z.object({}) },
    handler: async () => ({ status: 200, body: {} }),
  }),
];

/** The edge over the fake operations: `Bearer editor` and `Bearer key` are the credentials. */
export const buildFakeApp = (overrides: Partial<AppDeps> = {}): Promise<FastifyInstance> =>
  buildApp({
    operations: fakeOperations,
    services: {} as AppDeps["services"],
    authenticator: {
      authenticate: async (mode, { authorization }) => {
        if (mode === "none") return null;
        if (authorization === "Bearer key") return apiKey;
        return authorization === "Bearer editor" && mode !== "apiKey" ? editor : null;
      },
    },
    settings: {
      corsOrigins: ["https://app.example.org"],
      cookieSameSite: "lax",
      cookieSecure: false,
      rateLimit: true,
      trustProxy: false,
    },
    logger: createLogger({ level: "silent" }),
    positions: createPositions(),
    projections: [],
    organizationOf: async () => null,
    sockets: [],
    ...overrides,
  });

/** A projection that handles one type of event, and nothing else. */
export const projectionOf = (name: string, eventType: string): Projection => ({
  name,
  version: 1,
  tables: [],
  create: async () => undefined,
  handlers: new Map([[eventType, async () => undefined]]),
});
