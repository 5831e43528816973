import type { FastifyInstance } from "fastify";

/** On every response (spec, "Security headers on every response"). */
const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "strict-origin-when-cross-origin",
} as const;

/** Spec, "Conventions": on every answer under `/api`. It does no harm on the few others, so that none is forgotten. */
const noStore = "no-store, no-cache, must-revalidate";

/** Those that are the same on each answer. */
export const staticHeaders = { ...securityHeaders, "cache-control": noStore } as const;

/** Every header that each answer carries, whoever writes it. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  ...staticHeaders,
  "x-request-id": requestId,
});

/** Puts the standing headers on every answer that passes Fastify's hooks; the last word is onSend's, so that no plugin overrules them. */
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
