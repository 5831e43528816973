import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { PartHealth } from "../../platform/partHealth.ts";
import { ApiError } from "../apiError.ts";
import { type Authenticator, REFRESH_COOKIE } from "../auth/authenticator.ts";
import {
  type HandlerInput,
  type Operation,
  type OperationResponse,
  type Principal,
  takesIdempotencyKey,
} from "../operation.ts";
import { idParams } from "../schemas.ts";
import type { Services } from "../services.ts";
import { checkPermission, contextOf } from "./caller.ts";
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
  /** The parts that are away, or have left a call unanswered for so long. */
  readonly troubled: PartHealth["unavailable"];
  readonly crowd: LoadShedding;
  /** The organisation that an execution or a test belongs to: a download by cookie alone names no other. */
  readonly organizationOf: (resourceId: string) => Promise<string | null>;
};

/** What the edge knows of a call before the handler runs. */
type Call = {
  readonly principal: Principal | null;
  readonly context: CommandContext;
  /** How long it took to find out who calls, in milliseconds. */
  readonly spentMs: number;
};

/** Registers operations under `/api/v1`: count, authenticate, permit, validate, handle, wait, answer. */
export const registerOperations = (
  app: FastifyInstance,
  operations: readonly Operation[],
  deps: OperationDeps,
): void => {
  const calls = new WeakMap<FastifyRequest, Call>();
  // Who waits for news does not hold up the stop.
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  for (const operation of operations) {
    // What a payment provider sends is signed, and as much as it has to say: only what is not its own counts.
    const isSigned = operation.rawBody === true;
    app.route({
      method: operation.method,
      url: routePath(operation.path),
      schema: { response: Object.fromEntries(statusesWritten(operation).map((one) => [one, {}])) },
      serializerCompiler: ({ httpStatus = "" }) => serialiserOf(responseOf(operation, httpStatus)),
      ...(operation.multipart
        ? { bodyLimit: operation.multipart.maxBytes + FORM_OVERHEAD_BYTES }
        : {}),
      // Who calls is settled before a body is read: a stranger cannot make us hold one.
      onRequest: async (request) => {
        if (!isSigned) await deps.limits.countCall(request, operation.auth);
        const startedAt = performance.now();
        const authenticating = authenticate(operation, request, deps);
        const principal = await withRequestTimeout(
          deps.troubled,
          requiredParts(operation),
          0,
          authenticating,
        );
        checkPermission(operation, principal);
        const context = contextOf(principal, correlationIdOf(request.id));
        calls.set(request, { principal, context, spentMs: performance.now() - startedAt });
      },
      handler: async (request, reply) => {
        const call = calls.get(request);
        if (!call) throw new Error(`${operation.id} was reached past authentication`);
        const startedAt = performance.now() - call.spentMs;
        await deps.limits.countAttempt(operation.id, request);
        if (operation.multipart)
          request.body = await readMultipartBody(request, operation.multipart);
        const { params, query, body } = validateInput(operation, request);
        const lag =
          operation.method === "GET"
            ? await deps.readAfterWrite.beforeRead(headerOf(request, "x-min-position"))
            : {};
        const facts = requestFacts(operation, request, reply, closing.signal, deps.crowd);
        const act = (context: CommandContext): Promise<OperationResponse> =>
          handle(operation, {
            params,
            query,
            body,
            principal: call.principal,
            services: deps.services,
            context,
            request: facts,
          });
        const handling = once(operation, request, call, deps.services, act).then(async (answer) => {
          await noteExport(operation, call, params, deps.services);
          return answer;
        });
        const spentMs = performance.now() - startedAt;
        const answering = withRequestTimeout(
          deps.troubled,
          requiredParts(operation),
          spentMs,
          handling,
        );
        const answer = await answering.catch(async (error: unknown) => {
          const isRefused = isSigned && error instanceof DomainError;
          if (isRefused) await deps.limits.countCall(request, operation.auth);
          throw error;
        });
        const headers = { ...lag, ...(await deps.readAfterWrite.afterWrite(answer.receipt)) };
        return sendResponse(reply, answer, headers, deps.cookieRules);
      },
    });
  }
};

/** What is handed out as a file is noted first; that fails where it cannot be, and nothing is handed out. */
const noteExport = async (
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

/** OpenAPI's `/tests/{id}` as Fastify writes it. */
export const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** The statuses whose answers are written by a schema. */
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
    ...optional("organizationHeader", await organizationAsked(operation, request, deps)),
    ...(operation.auth === "organization" ? { organizationInPath: idInPath(request) } : {}),
  });
  const needsOne = operation.auth !== "none" && operation.auth !== "refreshCookie";
  if (principal === null && needsOne) {
    throw new ApiError(401, "Sign in, or send an API key as Authorization: Bearer.");
  }
  return principal;
};

/** The `{id}` of a path; null when it is no id. */
const idInPath = (request: FastifyRequest): string | null => {
  const parsed = idParams.safeParse(request.params);
  return parsed.success ? parsed.data.id : null;
};

/** An `<img>` or `<a download>` sends its cookie and no header: the organisation is then that of what it asks for. */
const organizationAsked = async (
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
  // The first that the path names is what it is about, whatever it is called.
  const [, name = ""] = /\{(\w+)\}/.exec(operation.path) ?? [];
  const resource = (params.data as Record<string, unknown>)[name];
  if (typeof resource !== "string") return undefined;
  return (await deps.organizationOf(resource)) ?? undefined;
};

const handle = (
  operation: Operation,
  input: HandlerInput<unknown, unknown, unknown, "none"> | Record<string, unknown>,
): Promise<OperationResponse> =>
  // The input has just been read by the operation's own schemas, which is what its handler's type says.
  (operation.handler as (input: unknown) => Promise<OperationResponse>)(input);

/** Acts, or answers what the first call with this `Idempotency-Key` was answered. */
const once = (
  operation: Operation,
  request: FastifyRequest,
  { principal, context }: Call,
  { idempotencyKeys }: Services,
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
  return executeOnce(idempotencyKeys, logger, call, act);
};

const NO_BYTES = Buffer.alloc(0);

const requestFacts = (
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
  crowd: LoadShedding,
) => ({
  ip: request.ip,
  userAgent: request.headers["user-agent"] ?? "",
  cookies: request.cookies,
  headers: request.headers,
  ifMatch: operation.ifMatch ? parseIfMatch(headerOf(request, "if-match")) : null,
  rawBody: operation.rawBody && Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
  /** For those who wait for news. */
  get signal(): AbortSignal {
    crowd.release(request.raw);
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
