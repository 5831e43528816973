import cookie from "@fastify/cookie";
import websocket from "@fastify/websocket";
import fastify, { type FastifyInstance, LogController } from "fastify";
import { MAX_AGENT_MESSAGE_BYTES } from "../domain/agents/protocol.ts";
import type { Logger } from "../platform/logger.ts";
import { type PartHealth, untrackedParts } from "../platform/partHealth.ts";
import type { Positions } from "../projections/kernel/positions.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import type { Authenticator } from "./auth/authenticator.ts";
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

/** The settings that the edge obeys. */
export type EdgeSettings = {
  readonly corsOrigins: readonly string[];
  readonly cookieSameSite: "lax" | "strict" | "none";
  /** Cookies over HTTPS alone: where the service is reached by https. */
  readonly cookieSecure: boolean;
  /** false for benchmarks. */
  readonly rateLimit: boolean;
  /** Whether a proxy in front says who calls (`X-Forwarded-For`). */
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
  /** Which parts are away, or silent for so many milliseconds. Unless given, none ever is. */
  readonly troubled?: PartHealth["unavailable"];
  /** The organisation of an execution or a test, null when there is none of that id. */
  readonly organizationOf: (resourceId: string) => Promise<string | null>;
  /** How many requests may be at work at once; as many as can be answered soon, unless given. */
  readonly concurrencyLimit?: ConcurrencyLimit;
  /** Is told what happens here; nobody is unless given. */
  readonly observer?: EdgeObserver;
  /** What registers the WebSockets, within `/api/v1`. A plain GET on one is answered 426. */
  readonly sockets: readonly ((api: FastifyInstance) => void)[];
};

/** How long the headers, and the whole, of a request may take to arrive, in milliseconds: then 408. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** How often that is looked at, in milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** Builds the HTTP service without listening: `app.inject` in tests, `app.listen` in the composition root. */
export const buildApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const app = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child for each request costs as much as all its checks, and most say nothing. What is said names the request itself.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: trusted(deps.settings.trustProxy),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: REQUEST_TIMEOUT_MS,
    rewriteUrl: requestPath,
    routerOptions: { maxParamLength: 200 },
    http: {
      // Node would answer a request without Host by itself, without a body.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    frameworkErrors: (error, request, reply) => {
      const answer = errorResponseOf(error);
      // Typed for a route's own reply; there is no route here.
      const plain = reply as unknown as { code(status: number): typeof reply };
      plain.code(answer.status);
      reply.headers({
        ...commonHeaders(request.id),
        ...corsHeaders(request.headers.origin, deps.settings.corsOrigins),
        ...answer.headers,
      });
      return reply.send({ detail: answer.detail } as never);
    },
  }) as unknown as FastifyInstance;

  const crowd = registerLoadShedding(app, {
    corsOrigins: deps.settings.corsOrigins,
    turnedAway: deps.observer?.turnedAway,
    ...(deps.concurrencyLimit && { room: deps.concurrencyLimit }),
  });
  const conversationOn = trackConnections(app.server);
  const answerClientError = createClientErrorHandler(conversationOn);

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
  handleProtocolUpgrades(app.server, registerWebSocketPaths(app), conversationOn);
  registerNotFound(app);
  registerAccessLog(app);

  await app.register(
    async (api) => {
      const graphql = createGraphql(api, deps.services, deps.logger);
      const edge: OperationDeps = {
        services: deps.services,
        authenticator: deps.authenticator,
        limits,
        readAfterWrite: createReadAfterWrite(deps.positions, deps.projections),
        cookieRules: {
          sameSite: deps.settings.cookieSameSite,
          secure: deps.settings.cookieSecure,
        },
        organizationOf: deps.organizationOf,
        troubled: deps.troubled ?? untrackedParts.unavailable,
        crowd,
      };
      const isRaw = ({ rawBody }: Operation): boolean => rawBody === true;
      const isForm = ({ multipart }: Operation): boolean => multipart !== undefined;
      const read = deps.operations.filter((one) => !isRaw(one) && !isForm(one));
      registerOperations(api, [...read, graphql], edge);
      const typesOf = ({ multipart }: Operation) => multipart?.types;
      const plainForms = deps.operations.filter((one) => isForm(one) && !typesOf(one));
      await api.register(async (forms) => {
        await acceptForms(forms);
        registerOperations(forms, plainForms, edge);
      });
      for (const operation of deps.operations) {
        const types = typesOf(operation);
        if (!types) continue;
        await api.register(async (files) => {
          await acceptFileBodies(files, types);
          registerOperations(files, [operation], edge);
        });
      }
      await api.register(async (raw) => {
        acceptAnyBody(raw);
        registerOperations(raw, deps.operations.filter(isRaw), edge);
      });
      for (const registerSocket of deps.sockets) registerSocket(api);
    },
    { prefix: "/api/v1" },
  );
  registerDocs(app);
  return app;
};

/** A number says how many proxies stand in front: so many of the addresses named are believed. */
const trusted = (setting: EdgeSettings["trustProxy"]) =>
  typeof setting === "number" ? (_address: string, hop: number) => hop < setting : setting;

/** Every error, whoever threw it, is `{detail}` and nothing else. */
const registerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) => {
    const answer = errorResponseOf(error);
    if (answer.isFault) {
      request.log.error({ err: error, correlation_id: request.id }, `answered ${answer.status}`);
    }
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send({ detail: shortened(answer.detail) });
  });
};

/** In characters: what is wrong may name what was sent, and that may be a megabyte. */
const MAX_DETAIL = 2_000;

const shortened = (detail: string): string =>
  detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL)}…`;

/** WebSockets: their handshakes carry the standing headers too, and a stop tells them how to come back. */
const registerWebSockets = async (
  app: FastifyInstance,
  subscribed: EdgeObserver["subscribed"],
): Promise<void> => {
  await app.register(websocket, {
    // An agent sends pictures; who may send less holds its messages to that.
    options: { maxPayload: MAX_AGENT_MESSAGE_BYTES },
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
    // One of the paths that are WebSockets: no other gets so far.
    const kind = /\/(\w+)(?:\?|$)/.exec(request.url ?? "")?.[1] ?? "other";
    subscribed(kind, 1);
    socket.once("close", () => subscribed(kind, -1));
  });
};

/** A line for each answer. The route, not the URL: a query may hold what no log line should. */
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
