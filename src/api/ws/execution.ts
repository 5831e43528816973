import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";
import { ApiError } from "../apiError.ts";
import {
  type ExecutionClient,
  type ExecutionClientDeps,
  type SocketSession,
  serveClient,
} from "./executionClient.ts";
import { startRechecks } from "./recheck.ts";
import { createRunFeeds } from "./runFeeds.ts";

export type { SocketSession } from "./executionClient.ts";

export type ExecutionSocketDeps = Omit<ExecutionClientDeps, "feeds" | "cachedRoleIn"> & {
  readonly bus: Bus;
  readonly runEvents: Pick<RunEventQueries, "runEventsAfter" | "lastSequence">;
  /** The session of a valid refresh token, without using the token; null otherwise. */
  readonly sessionOfCookie: (refreshToken: string) => Promise<SocketSession | null>;
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
  const clientDeps = { ...deps, feeds, cachedRoleIn: cacheBriefly(deps.roleIn) };
  const sessions = new WeakMap<FastifyRequest, SocketSession>();
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
        sessions.set(request, await authenticate(request, deps));
      },
    },
    (socket, request) => {
      const session = sessions.get(request);
      sessions.delete(request);
      if (!session) return socket.terminate();
      const client = serveClient(clientDeps, socket, request, session);
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
): Promise<SocketSession> => {
  const { origin } = request.headers;
  if (origin !== undefined && !deps.allowedOrigins().includes(origin))
    throw new ApiError(403, "Pages of this origin may not connect.");
  const cookie = request.cookies.refresh_token;
  const session = cookie ? await deps.sessionOfCookie(cookie) : null;
  if (!session) throw new ApiError(401, "Sign in first: the session cookie is missing or expired.");
  return session;
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
