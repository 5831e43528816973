import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import { noRefreshCookie } from "./shapes.ts";

const session = z
  .object({
    id,
    current: z.boolean().describe("Whether this request uses the session."),
    method: z.string().describe("The sign-in method."),
    device: z.string().describe("The `User-Agent` of the sign-in."),
    address: z.string().describe("The IP address of the last use."),
    created_at: timestamp,
    last_used_at: timestamp.describe(
      "The last token renewal. A session in use renews its tokens every ten minutes.",
    ),
    expires_at: timestamp,
  })
  .meta({ id: "Session", description: "A session of the caller." });

const listSessions = defineOperation({
  id: "listSessions",
  method: "GET",
  path: "/auth/sessions",
  tag: "Sessions",
  summary: "List the caller's sessions, most recently used first, at most 100",
  auth: "session",
  permission: null,
  responses: { 200: z.object({ items: z.array(session), next_cursor: z.null() }) },
  example: {
    response: {
      items: [
        {
          id: "019a5a6e-3f04-7000-8000-5a1de1f0a004",
          current: true,
          method: "password",
          device: "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0",
          address: "192.0.2.7",
          created_at: "2026-03-01T10:11:12.345Z",
          last_used_at: "2026-03-01T12:01:00.000Z",
          expires_at: "2026-05-30T10:11:12.345Z",
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ principal, services }) => {
    const sessions = await services.identity.commands.listSessions(principal.userId);
    const items = sessions.map((one) => ({
      id: one.sessionId,
      current: one.sessionId === principal.sessionId,
      method: one.method,
      device: one.device,
      address: one.address,
      created_at: one.openedAt,
      last_used_at: one.lastUsedAt,
      expires_at: one.expiresAt,
    }));
    return { status: 200, body: { items, next_cursor: null } };
  },
});

const revokeSession = defineOperation({
  id: "revokeSession",
  method: "DELETE",
  path: "/auth/sessions/{id}",
  tag: "Sessions",
  summary: "End a session of the caller",
  auth: "session",
  permission: null,
  params: idParams,
  responses: { 204: null },
  errors: [403, 404],
  handler: async ({ params, principal, services, context }) => {
    const { userId } = principal;
    const ended = { userId, sessionId: params.id };
    const receipt = await services.identity.commands.revokeSession(context, ended);
    const isOwn = params.id === principal.sessionId;
    return { status: 204, receipt, ...(isOwn ? { cookies: [noRefreshCookie] } : {}) };
  },
});

const revokeOtherSessions = defineOperation({
  id: "revokeOtherSessions",
  method: "DELETE",
  path: "/auth/sessions",
  tag: "Sessions",
  summary: "End all sessions of the caller except the current one",
  auth: "session",
  permission: null,
  responses: { 204: null },
  handler: async ({ principal, services, context }) => ({
    status: 204,
    receipt: await services.identity.commands.revokeOtherSessions(context, principal),
  }),
});

export const sessionOperations: readonly Operation[] = [
  listSessions,
  revokeSession,
  revokeOtherSessions,
];
