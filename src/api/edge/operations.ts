import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PartHealth } from "../../platform/partHealth.ts";
import type { CatchUp } from "../../projections/kernel/catchUp.ts";
import { ApiError } from "../apiError.ts";
import { type Authenticator, REFRESH_COOKIE } from "../auth/authenticator.ts";
import {
  type HandlerInput,
  isList,
  type Operation,
  type OperationResponse,
  type Principal,
  takesIdempotencyKey,
} from "../operation.ts";
import { idParams } from "../schemas.ts";
import type { Services } from "../services.ts";
import { checkPermission, contextOf } from "./caller.ts";
import { compressList } from "./compression.ts";
import { tagContent } from "./entityTags.ts";
import { executeOnce } from "./idempotency.ts";
import { parseIfMatch } from "./ifMatch.ts";
import type { LoadShedding } from "./loadShedding.ts";
import { FORM_OVERHEAD_BYTES, readMultipartBody } from "./multipart.ts";
import type { RateLimits } from "./rateLimits.ts";
import type { ReadAfterWrite } from "./readAfterWrite.ts";
import { correlationIdOf } from "./requestId.ts";
import { requiredParts, withRequestTimeout } from "./requestTimeouts.ts";
import { type CookieRules, sendResponse } from "./sendResponse.ts";
import { serialiserOf } from "./serialiser.ts";
import { validateInput } from "./validation.ts";

export type OperationDeps = {
  readonly services: Services;
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly readAfterWrite: ReadAfterWrite;
  readonly cookieRules: CookieRules;
  /** The parts that are unavailable, or have not answered a call within the given milliseconds. */
  readonly unavailable: PartHealth["unavailable"];
  readonly loadShedding: LoadShedding;
  readonly catchUp: CatchUp;
  /** The organisation of an execution or a test: downloads by cookie do not send X-Org-Id. */
  readonly organizationOf: (resourceId: string) => Promise<string | null>;
};

/** Result of authentication, passed to the handler. */
type Call = {
  readonly principal: Principal | null;
  readonly context: CommandContext;
  /** Duration of the authentication, in milliseconds. */
  readonly spentMs: number;
};

/** An operation with its dependencies. `closing` is aborted when the service shuts down. */
type Route = {
  readonly operation: Operation;
  readonly deps: OperationDeps;
  readonly closing: AbortSignal;
};

/**
 * Registers operations under `/api/v1`. Each request is rate limited, authenticated, authorised, validated and
 * handled; the response waits for the read models.
 */
export const registerOperations = (
  app: FastifyInstance,
  operations: readonly Operation[],
  deps: OperationDeps,
): void => {
  const calls = new WeakMap<FastifyRequest, Call>();
  // Ends long polling when the service shuts down.
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  for (const operation of operations) {
    const route: Route = { operation, deps, closing: closing.signal };
    app.route({
      method: operation.method,
      url: routePath(operation.path),
      schema: { response: Object.fromEntries(statusesWritten(operation).map((one) => [one, {}])) },
      serializerCompiler: ({ httpStatus = "" }) => serialiserOf(responseOf(operation, httpStatus)),
      ...(operation.multipart
        ? { bodyLimit: operation.multipart.maxBytes + FORM_OVERHEAD_BYTES }
        : operation.maxBodyBytes !== undefined
          ? { bodyLimit: operation.maxBodyBytes }
          : {}),
      // Authentication precedes reading the body: unauthenticated callers must not use memory.
      onRequest: async (request) => {
        calls.set(request, await admit(route, request));
      },
      ...(isList(operation) ? { onSend: [tagContent, compressList] } : {}),
      handler: async (request, reply) => {
        const call = calls.get(request);
        if (!call) throw new Error(`${operation.id} was called without authentication`);
        return respond(route, call, request, reply);
      },
    });
  }
};

/** Rate limits, authenticates and authorises a request. */
const admit = async ({ operation, deps }: Route, request: FastifyRequest): Promise<Call> => {
  // Signed webhooks are counted only if the signature is invalid.
  if (!operation.rawBody) await deps.limits.countCall(request, operation.auth);
  refuseWhileCatchingUp(operation, deps.catchUp);
  const startedAt = performance.now();
  const authenticating = authenticate(operation, request, deps);
  const parts = requiredParts(operation);
  const principal = await withRequestTimeout(deps.unavailable, parts, 0, authenticating);
  checkPermission(operation, principal);
  const context = contextOf(principal, correlationIdOf(request.id));
  return { principal, context, spentMs: performance.now() - startedAt };
};

/** Callers whose organisation or resources are in the read models. Sign-in and administration need none. */
const NEEDS_READ_MODELS: ReadonlySet<Operation["auth"]> = new Set([
  ...(["member", "organization", "session", "apiKey", "download"] as const),
]);

/** Throws ApiError 503 while the read models lack many events: their answers would be wrong. */
const refuseWhileCatchingUp = ({ auth }: Operation, catchUp: CatchUp): void => {
  const progress = NEEDS_READ_MODELS.has(auth) ? catchUp.progress() : null;
  if (progress === null) return;
  throw new ApiError(
    503,
    `The read models are being built from the log: ${progress.percent} % done. Nothing was changed; try again.`,
    { "retry-after": String(progress.restSeconds) },
  );
};

/** Validates and handles an admitted request, and sends the response. */
const respond = async (
  route: Route,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { operation, deps } = route;
  const startedAt = performance.now() - call.spentMs;
  await deps.limits.countAttempt(operation.id, request);
  if (operation.multipart) {
    request.body = await readMultipartBody(request, operation.multipart);
  }
  const input = validateInput(operation, request);
  const lag =
    operation.method === "GET"
      ? await deps.readAfterWrite.beforeRead(headerOf(request, "x-min-position"))
      : {};
  const facts = requestFacts(route, request, reply);
  const { principal } = call;
  const act = (context: CommandContext): Promise<OperationResponse> =>
    handle(operation, { ...input, principal, services: deps.services, context, request: facts });
  const handling = executeIdempotently(route, request, call, act).then(async (response) => {
    await recordExport(operation, call, input.params, deps.services);
    return response;
  });
  const spentMs = performance.now() - startedAt;
  const parts = requiredParts(operation);
  const response = await withRequestTimeout(deps.unavailable, parts, spentMs, handling).catch(
    async (error: unknown) => {
      const isForged = operation.rawBody && error instanceof DomainError;
      if (isForged) await deps.limits.countCall(request, operation.auth);
      throw error;
    },
  );
  const headers = { ...lag, ...(await deps.readAfterWrite.afterWrite(response.receipt)) };
  return sendResponse(reply, response, headers, deps.cookieRules);
};

/** Records an export in the audit log before its response is sent. A failure prevents the export. */
const recordExport = async (
  { exports: exported }: Operation,
  { principal, context }: Call,
  params: unknown,
  { audit }: Services,
): Promise<void> => {
  if (!exported || !principal?.organizationId) return;
  const [resourceId] = Object.values((params ?? {}) as Record<string, unknown>);
  await audit.commands.noteExport(context, {
    ...exported,
    organizationId: principal.organizationId,
    resourceId: typeof resourceId === "string" ? resourceId : null,
  });
};

/** Converts a path from OpenAPI (`/tests/{id}`) to Fastify notation. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The statuses with a JSON schema. */
const statusesWritten = ({ responses }: Operation): readonly string[] =>
  Object.entries(responses).flatMap(([status, response]) =>
    response && "_zod" in response ? [status] : [],
  );

const responseOf = ({ id, responses }: Operation, status: string): z.ZodType => {
  const response = responses[Number(status)];
  if (!response || !("_zod" in response)) throw new Error(`${id} has no schema for ${status}`);
  return response;
};

const authenticate = async (
  operation: Operation,
  request: FastifyRequest,
  deps: OperationDeps,
): Promise<Principal | null> => {
  const principal = await deps.authenticator.authenticate(operation.auth, {
    cookies: request.cookies,
    ...optional("authorization", request.headers.authorization),
    ...optional("organizationHeader", await requestedOrganization(operation, request, deps)),
    ...(operation.auth === "organization" ? { organizationInPath: idInPath(request) } : {}),
  });
  const needsOne = operation.auth !== "none" && operation.auth !== "refreshCookie";
  if (principal === null && needsOne) {
    throw new ApiError(401, "Sign in, or send an API key as Authorization: Bearer.");
  }
  return principal;
};

/** The `{id}` of a path; null if it is malformed. */
const idInPath = (request: FastifyRequest): string | null => {
  const parsed = idParams.safeParse(request.params);
  return parsed.success ? parsed.data.id : null;
};

/** The organisation of a request. `<img>` and `<a download>` send only the cookie: it is then that of the resource. */
const requestedOrganization = async (
  operation: Operation,
  request: FastifyRequest,
  deps: OperationDeps,
): Promise<string | undefined> => {
  const header = headerOf(request, "x-org-id");
  if (header !== undefined || operation.auth !== "download") return header;
  const { authorization } = request.headers;
  if (authorization !== undefined || !request.cookies[REFRESH_COOKIE]) return undefined;
  const params = operation.params?.safeParse(request.params);
  if (!params?.success) return undefined;
  // The first path parameter identifies the resource.
  const [, name = ""] = /\{(\w+)\}/.exec(operation.path) ?? [];
  const resource = (params.data as Record<string, unknown>)[name];
  if (typeof resource !== "string") return undefined;
  return (await deps.organizationOf(resource)) ?? undefined;
};

const handle = (
  operation: Operation,
  input: HandlerInput<unknown, unknown, unknown, "none"> | Record<string, unknown>,
): Promise<OperationResponse> =>
  // The input was parsed by the operation's schemas, from which the handler's type is derived.
  (operation.handler as (input: unknown) => Promise<OperationResponse>)(input);

/** Handles a request, or returns the stored response of its `Idempotency-Key`. */
const executeIdempotently = (
  { operation, deps }: Route,
  request: FastifyRequest,
  { principal, context }: Call,
  act: (context: CommandContext) => Promise<OperationResponse>,
): Promise<OperationResponse> => {
  const key = headerOf(request, "idempotency-key");
  if (key === undefined || principal === null || !takesIdempotencyKey(operation)) {
    return act(context);
  }
  const { method, url } = request;
  const body = operation.body ? request.body : undefined;
  const ifMatch = operation.ifMatch ? headerOf(request, "if-match") : undefined;
  const call = { key, principal, method, url, body, ifMatch, context };
  const logger = request.log.child({ correlation_id: request.id });
  return executeOnce(deps.services.idempotencyKeys, logger, call, act);
};

const NO_BYTES = Buffer.alloc(0);

const requestFacts = (
  { operation, deps, closing }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
) => ({
  ip: request.ip,
  userAgent: request.headers["user-agent"] ?? "",
  cookies: request.cookies,
  headers: request.headers,
  ifMatch: operation.ifMatch ? parseIfMatch(headerOf(request, "if-match")) : null,
  rawBody: operation.rawBody && Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
  /** For long polling. A waiting request does not count against the concurrency limit. */
  get signal(): AbortSignal {
    deps.loadShedding.release(request.raw);
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort();
    });
    return AbortSignal.any([gone.signal, closing]);
  },
});

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const optional = <Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
