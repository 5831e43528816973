import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** Allowed request headers. */
const ALLOWED = [
  "Authorization",
  "Content-Type",
  "X-Org-Id",
  "X-Requested-With",
  "Idempotency-Key",
  "If-Match",
  "X-Min-Position",
  "X-Request-Id",
  "traceparent",
];
const EXPOSED = [
  "ETag",
  "X-Log-Position",
  "X-Read-Model-Lag",
  "X-Request-Id",
  "Retry-After",
  "Content-Disposition",
  "Link",
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS"];
/** Cache time of preflight responses, in seconds. */
const MAX_AGE_SECONDS = 600;

/** Allows pages of the listed origins to call the API with credentials. Register first, so that pages can read errors. */
export const registerCors = async (
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> => {
  await app.register(cors, {
    origin: [...origins],
    methods: METHODS,
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    credentials: true,
    maxAge: MAX_AGE_SECONDS,
    strictPreflight: false,
  });
};

/** CORS headers of a response that bypasses Fastify's hooks. */
export const corsHeaders = (
  origin: string | undefined,
  origins: readonly string[],
): Record<string, string> =>
  origin !== undefined && origins.includes(origin)
    ? {
        vary: "Origin",
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": EXPOSED.join(", "),
      }
    : { vary: "Origin" };
