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
import { type Connection, createConnection } from "../ws/connection.ts";
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

/** Time limit for `connection_init`, in milliseconds. */
const INIT_MS = 10_000;
/** Interval for rechecking callers, in milliseconds. */
const RECHECK_MS = 2_000;
const MAX_SUBSCRIPTIONS = 20;
/** Close codes of the protocol. */
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
 * Registers `/ws/graphql` for subscriptions by the protocol graphql-transport-ws. Credentials are sent in
 * `Authorization` of the handshake, or in `connection_init` (`{authorization, organization_id}`) by browsers.
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
    // In mode `member`, the principal has an organisation.
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

type PrincipalOf = (credentials: Credentials) => Promise<Caller["principal"]>;

/** State of one connection to /ws/graphql. */
type Client = {
  readonly deps: GraphqlSocketDeps & { readonly principalOf: PrincipalOf };
  readonly connection: Connection;
  readonly ip: string;
  /** Authenticated by the handshake; null if `connection_init` carries the credentials. */
  readonly handshakePrincipal: Caller["principal"] | null;
  readonly initTimer: NodeJS.Timeout;
  /** Running subscriptions by id. */
  readonly running: Map<string, AbortController>;
  credentials: Credentials;
  principal: Caller["principal"] | null;
  initialised: boolean;
};

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  handshakePrincipal: Caller["principal"] | null,
  deps: Client["deps"],
): void => {
  const connection = createConnection(socket, request.raw.socket);
  const client: Client = {
    deps,
    connection,
    ip: request.ip,
    handshakePrincipal,
    initTimer: setTimeout(() => connection.close(NO_INIT, "No connection_init received."), INIT_MS),
    running: new Map(),
    credentials: credentialsOf(request),
    principal: null,
    initialised: false,
  };
  const recheckTimer = setInterval(() => void recheck(client), RECHECK_MS);
  recheckTimer.unref();
  socket.on("close", () => {
    clearTimeout(client.initTimer);
    clearInterval(recheckTimer);
    for (const subscription of client.running.values()) subscription.abort();
  });
  socket.on("message", (data, isBinary) => {
    const message = isBinary ? null : readMessage(String(data));
    if (!message) return connection.close(UNREADABLE, "The message is malformed.");
    handle(client, message).catch((error: unknown) => {
      logFailure(deps.logger, error, {}, "cannot handle a WebSocket message");
      connection.close(1011, "The service cannot handle this message at the moment. Try again.");
    });
  });
};

const handle = async (client: Client, message: Incoming): Promise<void> => {
  switch (message.type) {
    case "connection_init":
      return initialise(client, message);
    case "subscribe":
      return runSubscription(client, message);
    case "complete":
      client.running.get(message.id)?.abort();
      return;
    case "ping":
      return client.connection.sendJson({ type: "pong" });
    case "pong":
      return;
  }
};

/** Closes the connection if its caller may no longer read results. */
const recheck = async ({ deps, connection, credentials, principal }: Client): Promise<void> => {
  if (principal === null) return;
  try {
    const current = await deps.principalOf(credentials);
    if (mayDo(current.standing, "results:read").allowed) return;
    connection.close(FORBIDDEN, "You may no longer read this.");
  } catch (error) {
    if (error instanceof ApiError) connection.close(UNAUTHORIZED, "Sign in again.");
    else logFailure(deps.logger, error, {}, "cannot recheck the caller of a WebSocket");
  }
};

const initialise = async (
  client: Client,
  message: Extract<Incoming, { type: "connection_init" }>,
): Promise<void> => {
  const { connection, deps, handshakePrincipal } = client;
  if (client.initialised) {
    return connection.close(TOO_MANY, "connection_init was already received.");
  }
  client.initialised = true;
  const { authorization, organization_id } = message.payload ?? {};
  if (handshakePrincipal === null) {
    client.credentials = { authorization, organizationHeader: organization_id };
  }
  try {
    client.principal = handshakePrincipal ?? (await deps.principalOf(client.credentials));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const code = error.status === 401 ? UNAUTHORIZED : FORBIDDEN;
    // RFC 6455 limits the reason to 123 bytes.
    return connection.close(code, error.message.slice(0, 100));
  }
  clearTimeout(client.initTimer);
  connection.sendJson({ type: "connection_ack" });
};

const runSubscription = async (client: Client, message: Subscribe): Promise<void> => {
  const { connection, deps, running, principal } = client;
  if (principal === null) return connection.close(UNAUTHORIZED, "Send connection_init first.");
  const { id } = message;
  if (running.has(id)) return connection.close(TAKEN, `The subscription ${id} exists.`);
  if (running.size >= MAX_SUBSCRIPTIONS) {
    return connection.close(TOO_MANY, `At most ${MAX_SUBSCRIPTIONS} subscriptions.`);
  }
  const ended = new AbortController();
  running.set(id, ended);
  try {
    const engine = await engineOf(deps.services, deps.logger);
    const results = await engine.begin(message.payload, {
      principal,
      context: contextOf(principal, newId()),
      request: { ...bareRequest, ip: client.ip, signal: ended.signal },
    });
    if ("errors" in results) {
      connection.sendJson({ type: "error", id, payload: results.errors });
      return;
    }
    for await (const payload of results) {
      await connection.ready();
      if (ended.signal.aborted) return;
      connection.sendJson({ type: "next", id, payload });
    }
    if (!ended.signal.aborted) connection.sendJson({ type: "complete", id });
  } catch (error) {
    logFailure(deps.logger, error, {}, "a GraphQL subscription failed");
    const payload = [{ message: "The subscription failed. Subscribe again." }];
    connection.sendJson({ type: "error", id, payload });
  } finally {
    running.delete(id);
  }
};

/** Request data of a handler without an HTTP request. */
const bareRequest = {
  userAgent: "",
  cookies: {},
  headers: {},
  ifMatch: null,
  rawBody: Buffer.alloc(0),
} as const;
