import type { Socket } from "node:net";
import cookie from "@fastify/cookie";
import websocket from "@fastify/websocket";
import fastify, { type ConnectionError, type FastifyInstance, LogController } from "fastify";
import { MAX_AGENT_MESSAGE_BYTES } from "../domain/agents/protocol.ts";
import type { Logger } from "../platform/logger.ts";
import { type PartHealth, untrackedParts } from "../platform/partHealth.ts";
import { type CatchUp, caughtUp } from "../projections/kernel/catchUp.ts";
import type { Positions } from "../projections/kernel/positions.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { registerConsole } from "./console.ts";
import { registerDocs } from "./docs.ts";
import { trackConnections } from "./edge/connectionTracking.ts";
import { corsHeaders, registerCors } from "./edge/cors.ts";
import { errorResponseOf } from "./edge/errorResponses.ts";
import { closeWebSockets, registerGracefulShutdown } from "./edge/gracefulShutdown.ts";
import { type ConcurrencyLimit, registerLoadShedding } from "./edge/loadShedding.ts";
import { acceptFileBodies, acceptForms } from "./edge/multipart.ts";
import { registerNotFound } from "./edge/notFound.ts";
import { type EdgeObserver, registerObserver } from "./edge/observer.ts";
import { type OperationDeps, registerOperations } from "./edge/operations.ts";
import { handleProtocolUpgrades, registerWebSocketPaths } from "./edge/protocolUpgrades.ts";
import { registerOverloadProtection, registerRateLimits } from "./edge/rateLimits.ts";
import { createClientErrorHandler } from "./edge/rawResponses.ts";
import { createReadAfterWrite } from "./edge/readAfterWrite.ts";
import {
  acceptAnyBody,
  BODY_LIMIT,
  registerRequestChecks,
  requestPath,
} from "./edge/requestChecks.ts";
import { requestIdOf } from "./edge/requestId.ts";
import { commonHeaders, registerCommonHeaders } from "./edge/responseHeaders.ts";
import { createGraphql } from "./graphql/index.ts";
import type { Operation } from "./operation.ts";
import type { Services } from "./services.ts";
import { chooseProtocol } from "./ws/bearerProtocol.ts";

/** Settings of the HTTP layer. */
export type EdgeSettings = {
  readonly corsOrigins: readonly string[];
  readonly cookieSameSite: "lax" | "strict" | "none";
  /** Sends cookies over HTTPS only. */
  readonly cookieSecure: boolean;
  /** false for benchmarks. */
  readonly rateLimit: boolean;
  /** Whether to trust `X-Forwarded-For`: always, a number of proxies, or proxies by address. */
  readonly trustProxy: boolean | number | string[];
};

export type AppDeps = {
  readonly operations: readonly Operation[];
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly settings: EdgeSettings;
  readonly logger: Logger;
  readonly positions: Positions;
  readonly projections: readonly Projection[];
  /** The unavailable parts. Default: none. */
  readonly unavailable?: PartHealth["unavailable"];
  /** Default: the read models have caught up. */
  readonly catchUp?: CatchUp;
  /** The organisation of an execution or a test; null if there is none with the id. */
  readonly organizationOf: (resourceId: string) => Promise<string | null>;
  /** Default: adapts to the recent throughput. */
  readonly concurrencyLimit?: ConcurrencyLimit;
  /** Receives metrics and traces. */
  readonly observer?: EdgeObserver;
  /** Registers WebSockets under `/api/v1`. A plain GET to one gets 426. */
  readonly sockets: readonly ((api: FastifyInstance) => void)[];
};

/** Timeouts for receiving the headers and the whole request, in milliseconds; then 408. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Interval of the timeout check, in milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** Builds the HTTP service without listening: `app.inject` in tests, `app.listen` in the composition root. */
export const buildApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const app = createFastify(deps, (error, socket) => handleClientError(error, socket));
  const loadShedding = registerLoadShedding(app, {
    corsOrigins: deps.settings.corsOrigins,
    onShed: deps.observer?.turnedAway,
    ...(deps.concurrencyLimit && { limit: deps.concurrencyLimit }),
  });
  const connectionStateOf = trackConnections(app.server);
  const handleClientError = createClientErrorHandler(connectionStateOf);

  registerObserver(app, deps.observer ?? {});
  registerCommonHeaders(app);
  registerErrors(app);
  await registerCors(app, deps.settings.corsOrigins);
  registerGracefulShutdown(app);
  registerRequestChecks(app);
  await registerOverloadProtection(app);
  await app.register(cookie);
  const limits = await registerRateLimits(app, deps.settings.rateLimit);
  await registerWebSockets(app, deps.observer?.subscribed);
  handleProtocolUpgrades(app.server, registerWebSocketPaths(app), connectionStateOf);
  registerNotFound(app);
  registerAccessLog(app);

  const { services, authenticator, settings, organizationOf } = deps;
  const operationDeps: OperationDeps = {
    services,
    authenticator,
    limits,
    readAfterWrite: createReadAfterWrite(deps.positions, deps.projections),
    cookieRules: { sameSite: settings.cookieSameSite, secure: settings.cookieSecure },
    organizationOf,
    unavailable: deps.unavailable ?? untrackedParts.unavailable,
    loadShedding,
    catchUp: deps.catchUp ?? caughtUp,
  };
  await app.register((api) => registerApi(api, deps, operationDeps), { prefix: "/api/v1" });
  registerDocs(app);
  await registerConsole(app);
  return app;
};

const createFastify = (
  { logger, settings }: AppDeps,
  clientErrorHandler: (error: ConnectionError, socket: Socket) => void,
): FastifyInstance =>
  fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // No child logger per request: it costs as much as all checks. Log entries contain the request id instead.
    childLoggerFactory: (parent) => parent,
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: trusted(settings.trustProxy),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: REQUEST_TIMEOUT_MS,
    rewriteUrl: requestPath,
    routerOptions: { maxParamLength: 200 },
    http: {
      // Otherwise Node responds itself, without a body.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    clientErrorHandler,
    frameworkErrors: (error, request, reply) => {
      const response = errorResponseOf(error);
      // The parameter is typed for the reply of a route; there is no route here.
      const plain = reply as unknown as { code(status: number): typeof reply };
      plain.code(response.status);
      reply.headers({
        ...commonHeaders(request.id),
        ...corsHeaders(request.headers.origin, settings.corsOrigins),
        ...response.headers,
      });
      return reply.send({ detail: response.detail } as never);
    },
  }) as unknown as FastifyInstance;

/** Registers operations by the kind of body they accept, and the WebSockets. */
const registerApi = async (
  api: FastifyInstance,
  deps: AppDeps,
  operationDeps: OperationDeps,
): Promise<void> => {
  const { operations, services, logger, sockets } = deps;
  const json = operations.filter(({ rawBody, multipart }) => !rawBody && !multipart);
  const forms = operations.filter(({ multipart }) => multipart && !multipart.types);
  const raw = operations.filter(({ rawBody }) => rawBody);
  registerOperations(api, [...json, createGraphql(api, services, logger)], operationDeps);
  await api.register(async (scope) => {
    await acceptForms(scope);
    registerOperations(scope, forms, operationDeps);
  });
  for (const operation of operations) {
    const types = operation.multipart?.types;
    if (!types) continue;
    await api.register(async (scope) => {
      await acceptFileBodies(scope, types);
      registerOperations(scope, [operation], operationDeps);
    });
  }
  await api.register(async (scope) => {
    acceptAnyBody(scope);
    registerOperations(scope, raw, operationDeps);
  });
  for (const registerSocket of sockets) registerSocket(api);
};

/** A number is the count of proxies to trust. */
const trusted = (setting: EdgeSettings["trustProxy"]) =>
  typeof setting === "number" ? (_address: string, hop: number) => hop < setting : setting;

/** Sends every error as `{detail}`. */
const registerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) => {
    const answer = errorResponseOf(error);
    if (answer.isFault) {
      request.log.error({ err: error, correlation_id: request.id }, `responded ${answer.status}`);
    }
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send({ detail: shortened(answer.detail) });
  });
};

/** In characters: details may quote a request body of up to a megabyte. */
const MAX_DETAIL = 2_000;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL)}…`;

/** Registers the WebSocket plugin, with the common headers on handshakes and a close reason on shutdown. */
const registerWebSockets = async (
  app: FastifyInstance,
  subscribed: EdgeObserver["subscribed"],
): Promise<void> => {
  await app.register(websocket, {
    // The limit of agents, which send pictures. Other sockets check a lower limit.
    options: { maxPayload: MAX_AGENT_MESSAGE_BYTES, handleProtocols: chooseProtocol },
    preClose: (done) => {
      closeWebSockets(app.websocketServer);
      done();
    },
  });
  app.websocketServer.on("headers", (lines, request) => {
    const headers = Object.entries(commonHeaders(requestIdOf(request)));
    for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  });
  if (!subscribed) return;
  app.websocketServer.on("connection", (socket, request) => {
    // Only known WebSocket paths reach this handler.
    const kind = /\/(\w+)(?:\?|$)/.exec(request.url ?? "")?.[1] ?? "other";
    subscribed(kind, 1);
    socket.once("close", () => subscribed(kind, -1));
  });
};

/** Logs each response by route, not by URL: query strings may contain secrets. */
const registerAccessLog = (app: FastifyInstance): void => {
  app.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        correlation_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "answered",
    );
    done();
  });
};
