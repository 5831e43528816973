import type { IncomingHttpHeaders } from "node:http";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import fastify from "fastify";

/** The page that shows `/openapi.json`, with its scripts and styles. */
export type DocsPage = {
  get(
    url: string,
    headers: IncomingHttpHeaders,
  ): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  }>;
  close(): Promise<void>;
};

/** What of a request and of an answer is about the file itself. The rest is the edge's. */
const ASKED = ["accept-encoding", "if-none-match", "if-modified-since", "range"];
const ANSWERED = [
  "content-type",
  "location",
  "etag",
  "last-modified",
  "accept-ranges",
  "content-range",
];

/** Opens the page: an application of its own that listens nowhere. */
export const openDocsPage = async (): Promise<DocsPage> => {
  const app = fastify({ logger: false });
  const info = { title: "Runledger", version: "1" };
  await app.register(swagger, {
    mode: "static",
    specification: { document: { openapi: "3.1.0", info, paths: {} } },
  });
  await app.register(swaggerUi, {
    routePrefix: "/api/v1/docs",
    uiConfig: { url: "/openapi.json", docExpansion: "none", deepLinking: true, validatorUrl: null },
  });
  await app.ready();
  return {
    get: async (url, headers) => {
      const asked = ASKED.flatMap((name) => {
        const value = headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      });
      const answer = await app.inject({ url, headers: Object.fromEntries(asked) });
      const answered = ANSWERED.flatMap((name) => {
        const value = answer.headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      });
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(answered),
        body: answer.rawPayload,
      };
    },
    close: () => app.close(),
  };
};
