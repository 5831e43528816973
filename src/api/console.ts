import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The web console as `npm run build` leaves it. */
const BUILD = fileURLToPath(new URL("../../dist/web/", import.meta.url));

/** The pages load scripts, styles, fonts and pictures of this origin only; no script or style stands in a page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The names of assets contain a hash of their content. */
const FOREVER = "public, max-age=31536000, immutable";

/** Serves the console's assets under `/assets/` and its start page at `/`. Without a build it serves nothing. */
export const registerConsole = async (app: FastifyInstance): Promise<void> => {
  if (!existsSync(BUILD)) return;
  // The router also finds this route for a target that is no path, such as `*`.
  app.get("/", (request, reply) =>
    request.url.startsWith("/") ? sendConsole(reply) : reply.callNotFound(),
  );
  await app.register(async (scope) => {
    // Runs after the hook that forbids caching.
    scope.addHook("onSend", async (_request, reply) => {
      if (reply.statusCode < 400) reply.header("cache-control", FOREVER);
    });
    await scope.register(fastifyStatic, {
      root: `${BUILD}assets`,
      prefix: "/assets/",
      preCompressed: true,
      index: false,
      decorateReply: false,
    });
  });
};

/** Whether a browser opens a page: every path outside the API may be a page of the console. */
export const opensPage = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  !/^\/(api|assets)(\/|\?|$)/.test(url) &&
  (headers.accept ?? "").includes("text/html") &&
  existsSync(BUILD);

let page: Promise<string> | null = null;

/** Responds with the start page of the console, which shows the page that the address names. */
export const sendConsole = async (reply: FastifyReply): Promise<FastifyReply> => {
  page ??= readFile(`${BUILD}index.html`, "utf8");
  return reply
    .code(200)
    .headers({ "content-security-policy": POLICY })
    .type("text/html; charset=utf-8")
    .send(await page);
};
