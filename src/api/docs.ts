import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import type { DocsPage } from "./docsPage.ts";

/** The generated description of the API. `npm run check` holds it to the operations. */
const DOCUMENT = new URL("../../openapi.json", import.meta.url);

/** Serves `/openapi.json` and the page `/api/v1/docs`. Both are loaded at the first request, so that a start is not delayed. */
export const registerDocs = (app: FastifyInstance): void => {
  let document: Promise<string> | null = null;
  // The second address is the one that the page itself requests.
  for (const url of ["/openapi.json", "/api/v1/docs/json"]) {
    app.get(url, async (_request, reply) => {
      document ??= readFile(DOCUMENT, "utf8");
      return reply.type("application/json; charset=utf-8").send(await document);
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
