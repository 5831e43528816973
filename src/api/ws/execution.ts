import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";
import { ApiError } from "../apiError.ts";
import { bearerOf, type SocketCaller } from "../auth/authenticator.ts";
import { bearerProtocolOf } from "./bearerProtocol.ts";
import { type ExecutionClient, type ExecutionClientDeps, serveClient } from "./executionClient.ts";
import { startRechecks } from "./recheck.ts";
import { createRunFeeds } from "./runFeeds.ts";

export type ExecutionSocketDeps = Omit<
  ExecutionClientDeps,
  "feeds" | "cachedRoleIn" | "queries"
> & {
  readonly bus: Bus;
  readonly runEvents: Pick<RunEventQueries, "runEventsAfter" | "lastSequence" | "runEventsOfScope">;
  /** The session of a valid refresh token, without using the token; null otherwise. */
  readonly sessionOfCookie: (refreshToken: string) => Promise<{
    readonly userId: string;
    readonly sessionId: string;
  } | null>;
  readonly callerOfBearer: (bearer: string) => Promise<SocketCaller>;
  /** Origins (scheme, host, port) of pages that may connect: PUBLIC_URL, WEB_BASE_URL, CORS_ORIGINS. */
  readonly allowedOrigins: () => readonly string[];
};

/** How long periodic checks share the result of a role lookup, in milliseconds. */
const ROLE_CACHE_MS = 500;

/**
 * Registers `/ws/execution`: live step events of runs for members who may read the results. A
 * rejected handshake gets HTTP 401 or 403 instead of the upgrade.
 */
export const registerExecutionSocket = (api: FastifyInstance, deps: ExecutionSocketDeps): void => {
  const feeds = createRunFeeds({ bus: deps.bus, queries: deps.runEvents, logger: deps.logger });
  // One user often has thousands of connections, whose checks share a lookup.
  const cachedRoleIn = cacheBriefly(deps.roleIn);
  const clientDeps = { ...deps, feeds, cachedRoleIn, queries: deps.runEvents };
  const callers = new WeakMap<FastifyRequest, SocketCaller>();
  const clients = new Set<ExecutionClient>();
  const rechecks = startRechecks(clients, deps.logger);
  api.addHook("onClose", async () => {
    rechecks.stop();
    feeds.close();
  });

  api.get(
    "/ws/execution",
    {
      websocket: true,
      preValidation: async (request) => {
        callers.set(request, await authenticate(request, deps));
      },
    },
    (socket, request) => {
      const caller = callers.get(request);
      callers.delete(request);
      if (!caller) return socket.terminate();
      const client = serveClient(clientDeps, socket, request, caller);
      clients.add(client);
      socket.on("close", () => {
        clients.delete(client);
        client.end();
      });
    },
  );
};

const authenticate = async (
  request: FastifyRequest,
  deps: ExecutionSocketDeps,
): Promise<SocketCaller> => {
  const { origin } = request.headers;
  if (origin !== undefined && !deps.allowedOrigins().includes(origin))
    throw new ApiError(403, "Pages of this origin may not connect.");
  const { authorization, "sec-websocket-protocol": protocols } = request.headers;
  const bearer = bearerOf(authorization) ?? bearerProtocolOf(protocols);
  if (bearer !== null) return deps.callerOfBearer(bearer);
  const cookie = request.cookies.refresh_token;
  const session = cookie ? await deps.sessionOfCookie(cookie) : null;
  if (!session) throw new ApiError(401, "Sign in first: the session cookie is missing or expired.");
  return { kind: "session", ...session };
};

/** Shares the result of equal lookups for `ROLE_CACHE_MS`. Failed lookups are not cached. */
const cacheBriefly = (roleIn: ExecutionSocketDeps["roleIn"]): typeof roleIn => {
  let cache = new Map<string, Promise<Role | null>>();
  let expiresAt = 0;
  return (userId, organizationId) => {
    const now = performance.now();
    if (now > expiresAt) {
      cache = new Map();
      expiresAt = now + ROLE_CACHE_MS;
    }
    const key = `${userId} ${organizationId}`;
    const role = cache.get(key) ?? roleIn(userId, organizationId);
    cache.set(key, role);
    role.catch(() => cache.delete(key));
    return role;
  };
};
