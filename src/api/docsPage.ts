import type { IncomingHttpHeaders } from "node:http";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import fastify from "fastify";

/** The page that renders `/openapi.json`, with its scripts and styles. */
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

/** Headers passed to and from the page. The other headers belong to the service. */
const REQUEST_HEADERS = ["accept-encoding", "if-none-match", "if-modified-since", "range"];
const RESPONSE_HEADERS = [
  "content-type",
  "location",
  "etag",
  "last-modified",
  "accept-ranges",
  "content-range",
];

/** Opens the page, a Fastify application that does not listen. */
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
      const requestHeaders = REQUEST_HEADERS.flatMap((name) => {
        const value = headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      });
      const response = await app.inject({ url, headers: Object.fromEntries(requestHeaders) });
      const responseHeaders = RESPONSE_HEADERS.flatMap((name) => {
        const value = response.headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      });
      return {
        status: response.statusCode,
        headers: Object.fromEntries(responseHeaders),
        body: response.rawPayload,
      };
    },
    close: () => app.close(),
  };
};
