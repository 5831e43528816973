import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** operations.md, "CORS". */
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
/** How long a browser may remember what a preflight said, in seconds. */
const MAX_AGE_SECONDS = 600;

/** Lets pages of the listed origins call the API, with credentials. Register before whatever refuses: a page must be able to read why. */
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

/** The same headers for an answer that passes no hook. */
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
