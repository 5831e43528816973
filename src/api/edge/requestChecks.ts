import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import { parseJsonBody } from "./jsonBody.ts";

/** The maximum size of a request body, in bytes. */
export const BODY_LIMIT = 1024 * 1024;
const MAX_URL = 8 * 1024;

/**
 * Headers that must not be repeated: a proxy and this service could interpret different ones (request smuggling). Node
 * keeps the first value of some and joins those of others with commas.
 */
const SINGLE: ReadonlySet<string> = new Set([
  "host",
  "authorization",
  "content-type",
  "content-length",
  "transfer-encoding",
  "x-org-id",
  "x-min-position",
  "idempotency-key",
]);

/** Characters of an authority (RFC 9112, 3.2). */
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=:[\]%-]*$/;

/** The path of a request target. Accepts the absolute form (`GET http://host/path`) of RFC 9112, 3.2.2; ignores the host. */
export const requestPath = (request: IncomingMessage): string => {
  const target = request.url ?? "/";
  const absolute = /^https?:\/\/[^/?#]*([^#]*)/i.exec(target);
  if (!absolute) return target;
  const rest = absolute[1] ?? "";
  return rest.startsWith("/") ? rest : `/${rest}`;
};

/** Rejects malformed requests before routing, and parses JSON bodies. */
export const registerRequestChecks = (app: FastifyInstance): void => {
  // Callback hooks: with dozens of hooks, promises would cost more than the checks.
  app.addHook("onRequest", (request, _reply, done) => {
    checkTarget(request.url);
    checkHead(request);
    done();
  });
  // After authentication: a missing credential is reported first.
  app.addHook("preParsing", (request, reply, _payload, done) => {
    // Bodies of GET requests are not read.
    if (request.method !== "GET" && request.method !== "HEAD") checkEncoding(request);
    const awaitsContinue = request.headers.expect?.toLowerCase() === "100-continue";
    const limit = request.routeOptions.bodyLimit ?? BODY_LIMIT;
    const fits = Number(request.headers["content-length"] ?? 0) <= limit;
    if (awaitsContinue && fits && request.raw.httpVersion === "1.1") reply.raw.writeContinue();
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    // A POST without a body may still send a content type.
    async (_request: FastifyRequest, body: Buffer) =>
      body.length === 0 ? undefined : parseJsonBody(body),
  );
};

/** Accepts bodies of any type without parsing them. */
export const acceptAnyBody = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "*",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
};

const checkTarget = (url: string): void => {
  if (url.length > MAX_URL) throw new ApiError(414, "The URL is too long.");
  const query = url.indexOf("?");
  if (query !== -1 && !isDecodable(url.slice(query + 1))) {
    throw new ApiError(
      400,
      "The URL is malformed: a % in its query is not followed by two hexadecimal digits, or the result is not valid UTF-8.",
    );
  }
};

const isDecodable = (text: string): boolean => {
  if (!text.includes("%")) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const checkHead = ({ headers, raw }: FastifyRequest): void => {
  if (raw.httpVersion === "0.9") throw closing(400, "HTTP/1.1 is required.");
  const met = new Set<string>();
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = (raw.rawHeaders[i] ?? "").toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (met.has(name)) throw closing(400, `The request repeats the header ${name}.`);
    met.add(name);
  }
  if (headers.host === undefined && raw.httpVersion === "1.1") {
    throw new ApiError(400, "The request has no Host header.");
  }
  if (!HOST.test(headers.host ?? "")) throw closing(400, "The Host header is malformed.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    throw closing(400, "The only supported Transfer-Encoding is chunked.");
  }
};

/** An error that closes the connection: the end of the request is uncertain. */
const closing = (status: number, detail: string): ApiError =>
  new ApiError(status, detail, { connection: "close" });

const checkEncoding = ({ headers }: FastifyRequest): void => {
  const coding = headers["content-encoding"]?.trim().toLowerCase();
  if (coding !== undefined && coding !== "" && coding !== "identity") {
    throw new ApiError(415, "Send the body without Content-Encoding.", {
      "accept-encoding": "identity",
    });
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ApiError(415, "Send the body in UTF-8: other charsets are not supported.");
  }
};
