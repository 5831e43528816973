import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { DocsPage } from "./docsPage.ts";
import { buildOpenApi, describePaths } from "./openapi.ts";
import type { Operation } from "./operation.ts";

/** So many operations are described at a time. */
const AT_A_TIME = 5;

/**
 * Serves `/openapi.json` and the page `/api/v1/docs`, which needs nothing from elsewhere. Both are made when they are
 * first asked for: a start need not wait for them, and who is at rest need not hold them.
 */
export const registerDocs = (app: FastifyInstance, operations: readonly Operation[]): void => {
  let text: Promise<string> | null = null;
  const textOf = (): Promise<string> => {
    text ??= writeDocument(operations);
    return text;
  };
  // The page has its own name for it.
  for (const url of ["/openapi.json", "/api/v1/docs/json"]) {
    app.get(url, async (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(await textOf()),
    );
  }
  let page: Promise<DocsPage> | null = null;
  const open = async (): Promise<DocsPage> => (await import("./docsPage.ts")).openDocsPage();
  app.addHook("onClose", async () => (await page)?.close());
  for (const url of ["/api/v1/docs", "/api/v1/docs/*"]) {
    app.get(url, { logLevel: "warn" }, async (request, reply) => {
      page ??= open();
      const { status, headers, body } = await (await page).get(request.url, request.headers);
      if (status === 404) return reply.callNotFound();
      // What the page's files refuse is said as everything that is refused here.
      if (status >= 400) throw Object.assign(new Error("Not served"), { statusCode: status });
      return reply.code(status).headers(headers).send(body);
    });
  }
};

/** The description as JSON, made piece by piece: others have their turn in between. */
const writeDocument = async (operations: readonly Operation[]): Promise<string> => {
  const described: ReturnType<typeof describePaths>[] = [];
  for (let at = 0; at < operations.length; at += AT_A_TIME) {
    described.push(describePaths(operations.slice(at, at + AT_A_TIME)));
    await nextTurn();
  }
  return JSON.stringify(buildOpenApi(operations, described));
};
