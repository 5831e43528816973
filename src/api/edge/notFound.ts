import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import { opensPage, sendConsole } from "../console.ts";

/**
 * Responds to unknown routes: with the console if a browser opens a page, with 405 and `Allow` if the path supports
 * other methods, else with 404. Register before the routes.
 */
export const registerNotFound = (app: FastifyInstance): void => {
  const methodsByPath = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    // The CORS plugin handles OPTIONS.
    if (url === "*") return;
    const known = methodsByPath.get(url) ?? {
      pattern: patternOf(url),
      methods: new Set(["OPTIONS"]),
    };
    for (const one of [method].flat()) known.methods.add(one.toUpperCase());
    methodsByPath.set(url, known);
  });

  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    if (opensPage(request)) return sendConsole(reply);
    const path = request.url.split("?", 1)[0] ?? "";
    const allowed = new Set<string>();
    for (const { pattern, methods } of methodsByPath.values()) {
      if (pattern.test(path)) for (const method of methods) allowed.add(method);
    }
    if (allowed.size === 0 || allowed.has(request.method)) {
      throw new ApiError(404, "There is nothing at this address.");
    }
    const allow = [...allowed].sort().join(", ");
    throw new ApiError(
      405,
      `${request.method} is not supported here. Supported methods: ${allow}.`,
      { allow },
    );
  });
};

const patternOf = (url: string): RegExp => {
  const parts = url.split("/").map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("/")}$`);
};
