import type { FastifyInstance } from "fastify";

/** On every response (spec, "Security headers on every response"). */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "strict-origin-when-cross-origin",
} as const;

/** On every answer under `/api` (spec, "Conventions"). */
export const noStore = "no-store, no-cache, must-revalidate";

/** Every header that an answer to this URL must carry, whoever writes it. */
export const standingHeaders = (url: string, requestId: string): Record<string, string> => ({
  ...securityHeaders,
  "x-request-id": requestId,
  ...(isApi(url) ? { "cache-control": noStore } : {}),
});

const isApi = (url: string): boolean => url.startsWith("/api");

/** Puts the standing headers on every answer that passes Fastify's hooks; the last word is onSend's, so that no plugin overrules them. */
export const registerStandingHeaders = (app: FastifyInstance): void => {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(standingHeaders(request.url, request.id));
  });
  app.addHook("onSend", async (request, reply) => {
    reply.headers(standingHeaders(request.url, request.id));
  });
};
