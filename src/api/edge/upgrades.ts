import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { writeRawError } from "./rawErrors.ts";

/** Headers that offer an upgrade: without them the same request is an ordinary one. */
const OFFER: ReadonlySet<string> = new Set(["upgrade", "http2-settings", "connection"]);

/**
 * Settles what Node does with requests before they reach the app: an upgrade that is no WebSocket's
 * (some HTTP clients offer `h2c` with every call) is answered as the ordinary request that it is, and an
 * `Expect` that nobody can meet is 417 with a body. Call once the WebSocket plugin listens.
 */
export const settleUpgrades = (server: Server): void => {
  const listeners = server.listeners("upgrade");
  server.removeAllListeners("upgrade");
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === "websocket") {
      for (const listener of listeners) listener.call(server, request, socket, head);
    } else {
      serveAsOrdinary(server, request, socket, head);
    }
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const socket = response.socket;
    if (socket) writeRawError(socket, 417, "Only Expect: 100-continue can be met.");
  });
};

/** Gives the request back to the server without its offer, and what came of its body with it. */
const serveAsOrdinary = (
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const lines = [`${request.method} ${request.url} HTTP/1.1`, "Connection: close"];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!OFFER.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ""}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
};
