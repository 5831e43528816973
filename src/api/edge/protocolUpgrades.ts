import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../apiError.ts";
import type { ConnectionState } from "./connectionTracking.ts";
import { writeRawResponse } from "./rawResponses.ts";
import { requestIdOf } from "./requestId.ts";
import { commonHeaders } from "./responseHeaders.ts";

/** Headers that offer an upgrade: without them the same request is an ordinary one. */
const OFFER: ReadonlySet<string> = new Set(["upgrade", "http2-settings", "connection"]);

/** RFC 6455, 4.1: the base64 of 16 bytes. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = "13";
/** A list of tokens. */
const PROTOCOLS = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\s*,\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/;

/** Paths of WebSockets, and what stands against an upgrade to one. */
export type WebSocketPaths = {
  /** Whether the plugin may take the request over: a sound handshake with a WebSocket that exists. */
  isHandshake(request: IncomingMessage): boolean;
};

/** Learns which paths are WebSockets, and answers a request on one that asks for no upgrade, or in a wrong way. Register between the WebSocket plugin and the routes. */
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
    return { status: 426, detail: "Speak version 13 of WebSocket: Sec-WebSocket-Version: 13." };
  if (!KEY.test(headers["sec-websocket-key"] ?? ""))
    return { status: 400, detail: "Sec-WebSocket-Key must be 16 bytes in base64." };
  const protocols = headers["sec-websocket-protocol"];
  if (protocols !== undefined && !PROTOCOLS.test(protocols))
    return { status: 400, detail: "Sec-WebSocket-Protocol must be a list of names." };
  return null;
};

/** RFC 9110, 15.5.22: a 426 says to what. */
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
        problem?.detail ?? "This is a WebSocket: connect with an upgrade.",
        toWebSocket,
      );
};

/**
 * Settles what Node does with requests before they reach the app. An upgrade that is no handshake with a
 * WebSocket of ours (some HTTP clients offer `h2c` with every call) is answered as the ordinary request
 * that it is. CONNECT is 405, and an `Expect` that nobody can meet 417. Who waits for `100 Continue` is
 * told to go on when the body is about to be read, not when the request will be refused.
 * Call once the WebSocket plugin listens.
 */
export const handleProtocolUpgrades = (
  server: Server,
  upgrades: WebSocketPaths,
  conversationOn: (socket: Duplex) => ConnectionState,
): void => {
  const listeners = server.listeners("upgrade");
  server.removeAllListeners("upgrade");
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node listens no more, and a client that goes away now must not end the service.
    const destroy = () => socket.destroy();
    socket.on("error", destroy);
    void conversationOn(socket)
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
    void conversationOn(socket)
      .whenAnswered()
      .then(() => writeRawResponse(socket, noTunnel));
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.stringify({ detail: "Only Expect: 100-continue can be met." });
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
  detail: "This is no proxy: CONNECT is not possible here.",
  headers: { allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS" },
};

/** Gives the request back to the server without its offer, and what came of its body with it. */
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
