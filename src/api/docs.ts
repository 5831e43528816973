import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import type { DocsPage } from "./docsPage.ts";
import { preferredEncoding } from "./edge/compression.ts";
import { entityTagOf, matches } from "./edge/entityTags.ts";

/** The generated descriptions of the API by address. `npm run check` holds them to the operations and messages. */
const DOCUMENTS = {
  "/openapi.json": "openapi.json",
  // The address that the page itself requests.
  "/api/v1/docs/json": "openapi.json",
  "/asyncapi.json": "asyncapi.json",
} as const;

/** The document with its entity tag, compressed once per process. */
type ApiDocument = {
  readonly tag: string;
  readonly encodings: Readonly<Record<ReturnType<typeof preferredEncoding>, Buffer>>;
};

const loadDocument = async (name: string): Promise<ApiDocument> => {
  const identity = await readFile(new URL(`../../${name}`, import.meta.url));
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity),
  ]);
  return { tag: entityTagOf(identity.toString()), encodings: { br, gzip: zipped, identity } };
};

/** Serves the documents and the page `/api/v1/docs`. Each is loaded at the first request, so that a start is not delayed. */
export const registerDocs = (app: FastifyInstance): void => {
  const documents = new Map<string, Promise<ApiDocument>>();
  for (const [url, name] of Object.entries(DOCUMENTS)) {
    app.get(url, async (request, reply) => {
      const document = documents.get(name) ?? loadDocument(name);
      documents.set(name, document);
      const { tag, encodings } = await document;
      // The CORS plugin varies every response by Origin.
      reply.headers({ etag: tag, vary: "Origin, Accept-Encoding" });
      if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send();
      const encoding = preferredEncoding(request.headers["accept-encoding"]);
      if (encoding !== "identity") reply.header("content-encoding", encoding);
      return reply.type("application/json; charset=utf-8").send(encodings[encoding]);
    });
  }
  let page: Promise<DocsPage> | null = null;
  const open = async (): Promise<DocsPage> => (await import("./docsPage.ts")).openDocsPage();
  app.addHook("onClose", async () => (await page)?.close());
  for (const url of ["/api/v1/docs", "/api/v1/docs/*"]) {
    app.get(url, { logLevel: "warn" }, async (request, reply) => {
      page ??= open();
      const { status, headers, body } = await (await page).get(request.url, request.headers);
      if (status === 404) return reply.callNotFound();
      // Errors of the page's own files get the API's error body.
      if (status >= 400) throw Object.assign(new Error("Not served"), { statusCode: status });
      return reply.code(status).headers(headers).send(body);
    });
  }
};
