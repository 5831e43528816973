import type { FastifyInstance } from "fastify";

/** Security headers of every response. */
const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "strict-origin-when-cross-origin",
} as const;

/** Sent with every response. Responses under `/api` require it. */
const noStore = "no-store, no-cache, must-revalidate";

/** The headers with constant values. */
export const staticHeaders = { ...securityHeaders, "cache-control": noStore } as const;

/** The headers of every response. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  ...staticHeaders,
  "x-request-id": requestId,
});

/** Adds the common headers to every response. Set again in `onSend`, so that no plugin overrides them. */
export const registerCommonHeaders = (app: FastifyInstance): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(staticHeaders).header("x-request-id", request.id);
    done();
  });
  app.addHook("onSend", (request, reply, _payload, done) => {
    reply.headers(staticHeaders).header("x-request-id", request.id);
    done();
  });
};
