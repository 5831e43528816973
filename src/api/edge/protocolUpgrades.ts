import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import type { ConnectionState } from "./connectionTracking.ts";
import { writeRawResponse } from "./rawResponses.ts";
import { requestIdOf } from "./requestId.ts";
import { commonHeaders } from "./responseHeaders.ts";

/** Headers that request an upgrade. */
const OFFER: ReadonlySet<string> = new Set(["upgrade", "http2-settings", "connection"]);

/** RFC 6455, 4.1: the base64 of 16 bytes. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = "13";
/** A list of tokens. */
const PROTOCOLS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\s*,\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;

export type WebSocketPaths = {
  /** Whether the request is a valid handshake for a registered WebSocket. */
  isHandshake(request: IncomingMessage): boolean;
};

/** Collects the WebSocket paths and rejects invalid handshakes on them. Register after the WebSocket plugin and before the routes. */
export const registerWebSocketPaths = (app: FastifyInstance): WebSocketPaths => {
  const paths = new Set<string>();
  app.addHook("onRoute", (route) => {
    if (route.websocket || route.wsHandler) paths.add(route.url);
  });
  app.addHook("onRequest", async (request: FastifyRequest) => {
    if (request.ws || !paths.has(request.routeOptions.url ?? "")) return;
    throw refusalOf(request.headers);
  });
  return {
    isHandshake: (request) =>
      request.method === "GET" &&
      request.httpVersion === "1.1" &&
      request.headers.upgrade?.toLowerCase() === "websocket" &&
      hasNoBody(request) &&
      problemOf(request.headers) === null &&
      paths.has(request.url?.split("?", 1)[0] ?? ""),
  };
};

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

type Headers = IncomingMessage["headers"];

const problemOf = (headers: Headers): { status: 400 | 426; detail: string } | null => {
  if (headers["sec-websocket-version"] !== VERSION)
    return { status: 426, detail: "WebSocket version 13 is required: Sec-WebSocket-Version: 13." };
  if (!KEY.test(headers["sec-websocket-key"] ?? ""))
    return { status: 400, detail: "Sec-WebSocket-Key must be 16 bytes in base64." };
  const protocols = headers["sec-websocket-protocol"];
  if (protocols !== undefined && !PROTOCOLS.test(protocols))
    return { status: 400, detail: "Sec-WebSocket-Protocol must be a list of names." };
  return null;
};

/** Headers of a 426 response (RFC 9110, 15.5.22). */
const toWebSocket = {
  upgrade: "websocket",
  connection: "Upgrade, close",
  "sec-websocket-version": VERSION,
};

const refusalOf = (headers: Headers): ApiError => {
  const problem = headers["sec-websocket-key"] === undefined ? null : problemOf(headers);
  return problem?.status === 400
    ? new ApiError(400, problem.detail)
    : new ApiError(
        426,
        problem?.detail ?? "This endpoint is a WebSocket. Connect with an upgrade.",
        toWebSocket,
      );
};

/**
 * Replaces Node's default handling of upgrades, CONNECT and `Expect`. An upgrade other than a WebSocket handshake
 * (some clients offer `h2c` with every request) is served as an ordinary request. CONNECT gets 405, an unknown
 * `Expect` 417. `100 Continue` is sent only when the body is about to be read. Call after registering the WebSocket
 * plugin.
 */
export const handleProtocolUpgrades = (
  server: Server,
  upgrades: WebSocketPaths,
  connectionStateOf: (socket: Duplex) => ConnectionState,
): void => {
  const listeners = server.listeners("upgrade");
  server.removeAllListeners("upgrade");
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node has removed its error listener; an unhandled error would end the process.
    const destroy = () => socket.destroy();
    socket.on("error", destroy);
    void connectionStateOf(socket)
      .whenAnswered()
      .then(() => {
        if (socket.destroyed || socket.readableEnded) return socket.destroy();
        socket.off("error", destroy);
        socket.setTimeout(0);
        if (upgrades.isHandshake(request)) {
          for (const listener of listeners) listener.call(server, request, socket, head);
        } else {
          serveAsOrdinary(server, request, socket, head);
        }
      });
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    void connectionStateOf(socket)
      .whenAnswered()
      .then(() => writeRawResponse(socket, noTunnel));
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ detail: "The only supported expectation is 100-continue." });
    response.writeHead(417, {
      ...commonHeaders(requestIdOf(request)),
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    });
    response.end(body);
  });
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
};

const noTunnel = {
  status: 405,
  detail: "CONNECT is not supported: this service is not a proxy.",
  headers: { allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS" },
};

/** Replays the request to the server without the upgrade headers, together with the bytes received after it. */
const serveAsOrdinary = (
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const version = `HTTP/${request.httpVersion}`;
  const lines = [`${request.method} ${request.url} ${version}`, "Connection: close"];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ""}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
};
