import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { mayDo } from "../../domain/organizations/permissions.ts";
import { logFailure } from "../../platform/availability.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { ApiError } from "../apiError.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { contextOf } from "../edge/caller.ts";
import type { Services } from "../services.ts";
import { createConnection } from "../ws/connection.ts";
import { engineOf } from "./index.ts";
import { type Incoming, readMessage } from "./messages.ts";
import type { Caller } from "./resolvers.ts";

export type GraphqlSocketDeps = {
  readonly services: Services;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  /** Origins (scheme, host, port) of pages that may connect. */
  readonly allowedOrigins: () => readonly string[];
  readonly logger: Logger;
};

/** One that has not said who it is by then is cut off. */
const INIT_MS = 10_000;
/** So often it is looked whether a caller may still listen. */
const RECHECK_MS = 2_000;
const MAX_SUBSCRIPTIONS = 20;
/** Closing codes of the protocol. */
const UNREADABLE = 4400;
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
const NO_INIT = 4408;
const TAKEN = 4409;
const TOO_MANY = 4429;

type Credentials = {
  readonly authorization?: string | undefined;
  readonly organizationHeader?: string | undefined;
};
type Subscribe = Extract<Incoming, { type: "subscribe" }>;

/**
 * Registers `/ws/graphql`: subscriptions, by the protocol graphql-transport-ws. Who asks says so in `Authorization`
 * of the handshake, or in `connection_init` (`{authorization, organization_id}`), where a page can set no header.
 */
export const registerGraphqlSocket = (api: FastifyInstance, deps: GraphqlSocketDeps): void => {
  const callers = new WeakMap<FastifyRequest, Caller["principal"]>();
  const principalOf = async (credentials: Credentials): Promise<Caller["principal"]> => {
    const principal = await deps.authenticator.authenticate("member", {
      cookies: {},
      ...(credentials.authorization !== undefined && { authorization: credentials.authorization }),
      ...(credentials.organizationHeader !== undefined && {
        organizationHeader: credentials.organizationHeader,
      }),
    });
    // One of an organisation: the mode says so.
    return principal as Caller["principal"];
  };

  api.get(
    "/ws/graphql",
    {
      websocket: true,
      preValidation: async (request) => {
        const { origin } = request.headers;
        if (origin !== undefined && !deps.allowedOrigins().includes(origin)) {
          throw new ApiError(403, "Pages of this origin may not connect.");
        }
        const credentials = credentialsOf(request);
        if (credentials.authorization === undefined) return;
        callers.set(request, await principalOf(credentials));
      },
    },
    (socket, request) => {
      const caller = callers.get(request) ?? null;
      serve(socket, request, caller, { ...deps, principalOf });
    },
  );
};

const credentialsOf = ({ headers }: FastifyRequest): Credentials => {
  const organization = headers["x-org-id"];
  return {
    authorization: headers.authorization,
    organizationHeader: Array.isArray(organization) ? organization[0] : organization,
  };
};

type Serving = GraphqlSocketDeps & {
  readonly principalOf: (credentials: Credentials) => Promise<Caller["principal"]>;
};

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  caller: Caller["principal"] | null,
  deps: Serving,
): void => {
  const connection = createConnection(socket, request.raw.socket);
  const running = new Map<string, AbortController>();
  let credentials = credentialsOf(request);
  let principal: Caller["principal"] | null = null;
  let initialised = false;

  const noInit = setTimeout(() => connection.close(NO_INIT, "Say connection_init."), INIT_MS);
  const recheck = setInterval(() => {
    if (principal === null) return;
    deps.principalOf(credentials).then(
      (now) => {
        if (!mayDo(now.standing, "results:read").allowed) {
          connection.close(FORBIDDEN, "This may not be read any more.");
        }
      },
      (error: unknown) => {
        if (error instanceof ApiError) connection.close(UNAUTHORIZED, "Sign in again.");
        else logFailure(deps.logger, error, {}, "a caller could not be looked at again");
      },
    );
  }, RECHECK_MS);
  recheck.unref();
  socket.on("close", () => {
    clearTimeout(noInit);
    clearInterval(recheck);
    for (const over of running.values()) over.abort();
  });

  const begin = async (message: Extract<Incoming, { type: "connection_init" }>): Promise<void> => {
    if (initialised) return connection.close(TOO_MANY, "connection_init was said already.");
    initialised = true;
    const { authorization, organization_id } = message.payload ?? {};
    if (caller === null) credentials = { authorization, organizationHeader: organization_id };
    try {
      principal = caller ?? (await deps.principalOf(credentials));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A reason has 123 bytes at most.
      const code = error.status === 401 ? UNAUTHORIZED : FORBIDDEN;
      return connection.close(code, error.message.slice(0, 100));
    }
    clearTimeout(noInit);
    connection.sendJson({ type: "connection_ack" });
  };

  const watch = async (message: Subscribe): Promise<void> => {
    if (principal === null) return connection.close(UNAUTHORIZED, "Say connection_init first.");
    const { id } = message;
    if (running.has(id)) return connection.close(TAKEN, `There is a subscription ${id}.`);
    if (running.size >= MAX_SUBSCRIPTIONS) {
      return connection.close(TOO_MANY, `At most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    }
    const over = new AbortController();
    running.set(id, over);
    try {
      const engine = await engineOf(deps.services, deps.logger);
      const results = await engine.begin(message.payload, {
        principal,
        context: contextOf(principal, newId()),
        request: { ...bareRequest, ip: request.ip, signal: over.signal },
      });
      if ("errors" in results) {
        connection.sendJson({ type: "error", id, payload: results.errors });
        return;
      }
      for await (const payload of results) {
        await connection.ready();
        if (over.signal.aborted) return;
        connection.sendJson({ type: "next", id, payload });
      }
      if (!over.signal.aborted) connection.sendJson({ type: "complete", id });
    } catch (error) {
      logFailure(deps.logger, error, {}, "a subscription could not go on");
      connection.sendJson({
        type: "error",
        id,
        payload: [{ message: "This cannot be told any more." }],
      });
    } finally {
      running.delete(id);
    }
  };

  const handle = async (message: Incoming): Promise<void> => {
    switch (message.type) {
      case "connection_init":
        return begin(message);
      case "subscribe":
        return watch(message);
      case "complete":
        running.get(message.id)?.abort();
        return;
      case "ping":
        return connection.sendJson({ type: "pong" });
      case "pong":
        return;
    }
  };

  socket.on("message", (data, isBinary) => {
    const message = isBinary ? null : readMessage(String(data));
    if (!message) return connection.close(UNREADABLE, "This is no message of the protocol.");
    handle(message).catch((error: unknown) => {
      logFailure(deps.logger, error, {}, "a message of a WebSocket could not be handled");
      connection.close(1011, "This cannot be answered at the moment. Try again.");
    });
  });
};

/** What a handler knows of an HTTP request, where there is none. */
const bareRequest = {
  userAgent: "",
  cookies: {},
  headers: {},
  ifMatch: null,
  rawBody: Buffer.alloc(0),
} as const;
