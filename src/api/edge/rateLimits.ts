import { createHash } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import { REFRESH_COOKIE } from "../auth/authenticator.ts";
import type { AuthMode } from "../operation.ts";
import { networkOf } from "./network.ts";

const MINUTE_MS = 60_000;
/** operations.md, "Limits". */
const PER_CREDENTIAL = 600;
const PER_ADDRESS = 10;
/** Beyond this delay of the event loop, in milliseconds, more work makes everybody wait in vain. */
const MAX_LOOP_DELAY_MS = 1_000;

/** Operations at which someone could try passwords or flood a mailbox. */
const guarded: ReadonlySet<string> = new Set(["login", "forgotPassword", "requestVerification"]);

export type RateLimits = {
  /**
   * Counts a call by the credential that its operation asks for, or by its network address where it has
   * or needs none: what nobody checks could be another one each time. Throws 429.
   */
  countCall(request: FastifyRequest, auth: AuthMode): Promise<void>;
  /** Counts a try on a person's address from a network address. Throws 429. */
  countAttempt(operationId: string, request: FastifyRequest): Promise<void>;
};

/** Registers the counting of calls; with `enabled` false nothing is counted (benchmarks). */
export const registerRateLimits = async (
  app: FastifyInstance,
  enabled: boolean,
): Promise<RateLimits> => {
  if (!enabled) return { countCall: async () => undefined, countAttempt: async () => undefined };
  await app.register(rateLimit, { global: false, cache: 50_000 });
  const callsBy = (callerOf: (request: FastifyRequest) => string) =>
    app.createRateLimit({
      max: PER_CREDENTIAL,
      timeWindow: MINUTE_MS,
      keyGenerator: (request) => `call:${callerOf(request)}`,
    });
  const open = callsBy(({ ip }) => networkOf(ip));
  const byCookie = callsBy((request) => callerBy(cookieOf(request), request));
  const byCredential = callsBy((request) =>
    callerBy(bearerOf(request) ?? cookieOf(request), request),
  );
  const attempts = app.createRateLimit({
    max: PER_ADDRESS,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => `try:${hash(addressIn(request.body))}:${networkOf(request.ip)}`,
  });
  /** `limit` says which one: what it counts, and for whom. */
  const enforce = (result: Awaited<ReturnType<typeof open>>, limit: string) => {
    if (result.isAllowed || !result.isExceeded) return;
    const { ttlInSeconds } = result;
    throw new ApiError(429, `Too many ${limit} a minute. Try again in ${ttlInSeconds} s.`, {
      "retry-after": String(ttlInSeconds),
    });
  };
  return {
    countCall: async (request, auth) => {
      if (isHealth(request)) return;
      const count = auth === "none" ? open : auth === "refreshCookie" ? byCookie : byCredential;
      enforce(await count(request), `calls: one caller has ${PER_CREDENTIAL}`);
    },
    countAttempt: async (operationId, request) => {
      if (!guarded.has(operationId)) return;
      enforce(await attempts(request), `attempts: one address has ${PER_ADDRESS}`);
    },
  };
};

/** Who watches over the service must not take a busy one, or a busy network address, for a dead one. */
const isHealth = (request: FastifyRequest): boolean =>
  request.routeOptions.url?.includes("/health/") ?? false;

/** Never the credential itself: the keys of the counters may end up in a heap dump. */
const callerBy = (credential: string | undefined, { ip }: FastifyRequest): string =>
  credential ? hash(credential) : networkOf(ip);

const cookieOf = (request: FastifyRequest): string | undefined => request.cookies[REFRESH_COOKIE];

/** The credential alone: another way to write `Bearer` must not be another caller. */
const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  headers.authorization?.replace(/^bearer\s+/i, "").trim();

const addressIn = (body: unknown): string => {
  const address = (body as { email?: unknown } | null | undefined)?.email;
  return typeof address === "string" ? address.trim().toLowerCase() : "";
};

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Refuses calls while the event loop is late, except the questions whether the service lives. */
export const registerOverloadProtection = async (app: FastifyInstance): Promise<void> => {
  await app.register(underPressure, {
    maxEventLoopDelay: MAX_LOOP_DELAY_MS,
    exposeStatusRoute: false,
    pressureHandler: (request) => {
      if (isHealth(request)) return;
      throw new ApiError(503, "The service is overloaded. Try again.", { "retry-after": "5" });
    },
  });
};
