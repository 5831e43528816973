import { createHash } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import { REFRESH_COOKIE } from "../auth/authenticator.ts";
import type { AuthMode } from "../operation.ts";
import { networkOf } from "./network.ts";

const MINUTE_MS = 60_000;
/** Requests per minute and credential. */
const PER_CREDENTIAL = 600;
/** Guarded requests per minute, e-mail address and network address. */
const PER_ADDRESS = 10;
/** Sign-ups per minute and network address. */
const SIGN_UPS = 10;
/** Requests are rejected above this event loop delay, in milliseconds. */
const MAX_LOOP_DELAY_MS = 1_000;

/** Operations that allow guessing passwords or flooding a mailbox. */
const guarded: ReadonlySet<string> = new Set(["login", "forgotPassword", "requestVerification"]);

export type RateLimits = {
  /**
   * Counts a call by the credential that the operation checks, else by network address: an unchecked credential could
   * change with every call. Throws ApiError 429.
   */
  countCall(request: FastifyRequest, auth: AuthMode): Promise<void>;
  /** Counts a sign-up by network address, other attempts by e-mail address and network address. Throws ApiError 429. */
  countAttempt(operationId: string, request: FastifyRequest): Promise<void>;
};

/** Registers rate limits. With `enabled` false nothing is counted (benchmarks). */
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
  const signUps = app.createRateLimit({
    max: SIGN_UPS,
    timeWindow: MINUTE_MS,
    keyGenerator: ({ ip }) => `signup:${networkOf(ip)}`,
  });
  const enforce = (result: Awaited<ReturnType<typeof open>>, limit: string) => {
    if (result.isAllowed || !result.isExceeded) return;
    const { ttlInSeconds } = result;
    throw new ApiError(
      429,
      `Rate limit exceeded: ${limit} per minute. Try again in ${ttlInSeconds} s.`,
      {
        "retry-after": String(ttlInSeconds),
      },
    );
  };
  return {
    countCall: async (request, auth) => {
      if (isHealth(request)) return;
      const count = auth === "none" ? open : auth === "refreshCookie" ? byCookie : byCredential;
      enforce(await count(request), `${PER_CREDENTIAL} calls per caller`);
    },
    countAttempt: async (operationId, request) => {
      if (operationId === "signUp") {
        enforce(await signUps(request), `${SIGN_UPS} sign-ups per network address`);
      }
      if (!guarded.has(operationId)) return;
      enforce(await attempts(request), `${PER_ADDRESS} attempts per address`);
    },
  };
};

/** Health checks are exempt: an overloaded service must not appear dead. */
const isHealth = (request: FastifyRequest): boolean =>
  request.routeOptions.url?.includes("/health/") ?? false;

/** Hashes the credential: counter keys may end up in a heap dump. */
const callerBy = (credential: string | undefined, { ip }: FastifyRequest): string =>
  credential ? hash(credential) : networkOf(ip);

const cookieOf = (request: FastifyRequest): string | undefined => request.cookies[REFRESH_COOKIE];

/** The credential without `Bearer`, so that its spelling does not matter. */
const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  headers.authorization?.replace(/^bearer\s+/i, "").trim();

const addressIn = (body: unknown): string => {
  const address = (body as { email?: unknown } | null | undefined)?.email;
  return typeof address === "string" ? address.trim().toLowerCase() : "";
};

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Rejects requests while the event loop is delayed, except health checks. */
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
