import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import websocket from "@fastify/websocket";
import fastify, { type FastifyInstance, LogController } from "fastify";
import type { Logger } from "../platform/logger.ts";
import type { Positions } from "../projections/kernel/positions.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import { ApiError } from "./apiError.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { registerDocs } from "./docs.ts";
import { answerTo } from "./edge/errorAnswers.ts";
import { registerStandingHeaders, standingHeaders } from "./edge/headers.ts";
import { registerPressureValve, registerRateLimits } from "./edge/limits.ts";
import { registerNotFound } from "./edge/notFound.ts";
import { registerOperations } from "./edge/operations.ts";
import { answerClientError } from "./edge/rawErrors.ts";
import { createReadAfterWrite } from "./edge/readAfterWrite.ts";
import { requestIdOf } from "./edge/requestId.ts";
import { settleUpgrades } from "./edge/upgrades.ts";
import { createGraphql } from "./graphql.ts";
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
  /** The organisation of an execution or a test, null when there is none of that id. */
  readonly organizationOf: (resourceId: string) => Promise<string | null>;
  /** What registers the WebSockets, within `/api/v1`. A plain GET on one is answered 426. */
  readonly sockets: readonly ((api: FastifyInstance) => void)[];
};

/** operations.md, "Limits". */
const BODY_LIMIT = 1024 * 1024;
const MAX_URL = 8 * 1024;

/** Builds the HTTP service without listening: `app.inject` in tests, `app.listen` in the composition root. */
export const buildApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const app = fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: trusted(deps.settings.trustProxy),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 200 },
    // Node would answer a request without Host by itself, without a body.
    http: { requireHostHeader: false },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      const answer = answerTo(error);
      // Typed for a route's own reply; there is no route here.
      const plain = reply as unknown as { code(status: number): typeof reply };
      plain.code(answer.status);
      reply.headers({ ...standingHeaders(request.url, request.id), ...answer.headers });
      return reply.send({ detail: answer.detail } as never);
    },
  }) as unknown as FastifyInstance;

  registerStandingHeaders(app);
  registerErrors(app);
  registerGate(app);
  await app.register(cors, {
    origin: [...deps.settings.corsOrigins],
    methods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
    allowedHeaders: corsHeaders.allowed,
    exposedHeaders: corsHeaders.exposed,
    credentials: true,
    strictPreflight: false,
  });
  await registerPressureValve(app);
  await app.register(cookie);
  const limits = await registerRateLimits(app, deps.settings.rateLimit);
  await app.register(websocket, { options: { maxPayload: BODY_LIMIT } });
  settleUpgrades(app.server);
  registerNotFound(app);
  registerAccessLog(app);

  await app.register(
    async (api) => {
      registerUpgradeRequired(api);
      const graphql = await createGraphql(api, deps.services, deps.logger);
      registerOperations(api, [...deps.operations, graphql], {
        services: deps.services,
        authenticator: deps.authenticator,
        limits,
        readAfterWrite: createReadAfterWrite(deps.positions, deps.projections),
        cookieRules: {
          sameSite: deps.settings.cookieSameSite,
          secure: deps.settings.cookieSecure,
        },
        organizationOf: deps.organizationOf,
      });
      for (const registerSocket of deps.sockets) registerSocket(api);
    },
    { prefix: "/api/v1" },
  );
  await registerDocs(app, deps.operations);
  return app;
};

/** A number says how many proxies stand in front: so many of the addresses named are believed. */
const trusted = (setting: EdgeSettings["trustProxy"]) =>
  typeof setting === "number" ? (_address: string, hop: number) => hop < setting : setting;

/** operations.md, "CORS". */
const corsHeaders = {
  allowed: [
    "Authorization",
    "Content-Type",
    "X-Org-Id",
    "X-Requested-With",
    "Idempotency-Key",
    "If-Match",
    "X-Min-Position",
    "X-Request-Id",
    "traceparent",
  ],
  exposed: [
    "ETag",
    "X-Log-Position",
    "X-Read-Model-Lag",
    "X-Request-Id",
    "Retry-After",
    "Content-Disposition",
    "Link",
  ],
};

/** Every error, whoever threw it, is `{detail}` and nothing else. */
const registerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error, request, reply) => {
    const answer = answerTo(error);
    if (answer.isFault) {
      request.log.error({ err: error, correlation_id: request.id }, `answered ${answer.status}`);
    }
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send({ detail: answer.detail });
  });
};

/** What is refused whatever it asks for, and the readers of bodies: JSON alone. */
const registerGate = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  // A connection kept alive after its last answer would hold up the stop until it times out.
  app.addHook("onSend", async (_request, reply) => {
    if (isClosing) reply.header("connection", "close");
  });
  app.addHook("onRequest", async (request) => {
    if (isClosing) {
      throw new ApiError(503, "The service is shutting down. Try again.", { "retry-after": "2" });
    }
    if (request.url.length > MAX_URL) throw new ApiError(414, "The URL is too long.");
    if (request.headers.host === undefined && request.raw.httpVersion === "1.1") {
      throw new ApiError(400, "The request has no Host header.");
    }
  });
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser(
    "application/json",
    { parseAs: "string" },
    (request, body: string, done) => {
      // A POST without anything to say may still name its type.
      if (body === "") done(null, undefined);
      else parseJson(request, body, done);
    },
  );
};

/** A plain GET on a WebSocket's path: 426, where the plugin would say 404. */
const registerUpgradeRequired = (api: FastifyInstance): void => {
  const paths = new Set<string>();
  api.addHook("onRoute", (route) => {
    if (route.websocket || route.wsHandler) paths.add(route.url);
  });
  api.addHook("onRequest", async (request) => {
    if (!paths.has(request.routeOptions.url ?? "") || request.ws) return;
    throw new ApiError(426, "This is a WebSocket: connect with an upgrade.", {
      upgrade: "websocket",
      connection: "Upgrade",
    });
  });
};

/** A line for each answer. The route, not the URL: a query may hold what no log line should. */
const registerAccessLog = (app: FastifyInstance): void => {
  app.addHook("onResponse", async (request, reply) => {
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
  });
};
