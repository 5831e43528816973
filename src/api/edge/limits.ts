import { createHash } from "node:crypto";
import rateLimit from "@fastify/rate-limit";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";

const MINUTE_MS = 60_000;
/** operations.md, "Limits". */
const PER_CREDENTIAL = 600;
const PER_ADDRESS = 10;
/** Beyond this delay of the event loop, in milliseconds, more work makes everybody wait in vain. */
const MAX_LOOP_DELAY_MS = 1_000;

/** Operations at which someone could try passwords or flood a mailbox. */
const guarded: ReadonlySet<string> = new Set(["login", "forgotPassword"]);

export type RateLimits = {
  /** Counts a call by its credential, or by its network address where it has none. Throws 429. */
  countCall(request: FastifyRequest): Promise<void>;
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
  const calls = app.createRateLimit({
    max: PER_CREDENTIAL,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => `call:${credentialOf(request)}`,
  });
  const attempts = app.createRateLimit({
    max: PER_ADDRESS,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => `try:${hash(addressIn(request.body))}:${request.ip}`,
  });
  const enforce = (result: Awaited<ReturnType<typeof calls>>, what: string) => {
    if (result.isAllowed || !result.isExceeded) return;
    throw new ApiError(429, `Too many ${what}. Try again in ${result.ttlInSeconds} s.`, {
      "retry-after": String(result.ttlInSeconds),
    });
  };
  return {
    countCall: async (request) => enforce(await calls(request), "calls in a minute"),
    countAttempt: async (operationId, request) => {
      if (guarded.has(operationId)) enforce(await attempts(request), "attempts in a minute");
    },
  };
};

/** Never the credential itself: the keys of the counters may end up in a heap dump. */
const credentialOf = (request: FastifyRequest): string => {
  const credential = request.headers.authorization ?? request.cookies.refresh_token;
  return credential ? hash(credential) : request.ip;
};

const addressIn = (body: unknown): string => {
  const address = (body as { email?: unknown } | null | undefined)?.email;
  return typeof address === "string" ? address.trim().toLowerCase() : "";
};

const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Refuses calls while the event loop is late, except the questions whether the service lives. */
export const registerPressureValve = async (app: FastifyInstance): Promise<void> => {
  await app.register(underPressure, {
    maxEventLoopDelay: MAX_LOOP_DELAY_MS,
    exposeStatusRoute: false,
    pressureHandler: (request) => {
      if (request.routeOptions.url?.includes("/health/")) return;
      throw new ApiError(503, "The service is overloaded. Try again.", { "retry-after": "5" });
    },
  });
};
