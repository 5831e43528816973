import { createServer, type Server } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";

/** The first bytes of an HTTP/2 connection. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n");

/** The time that a connection has to send its first bytes. */
const FIRST_BYTES_MS = 10_000;

/** Answers load balancers and clients that look before they connect, as EventStoreDB does. */
const createHealthServer = (): Server =>
  createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (path === "/ping") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"text":"Ping request successful"}');
    } else if (path === "/health/live") response.writeHead(204).end();
    else {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("This port serves EventStoreDB's gRPC protocol, /ping and /health/live.\n");
    }
  });

/**
 * A server that passes connections with HTTP/2's preface to `acceptHttp2` and answers all others over
 * HTTP/1.1. Node.js offers both on one port only with TLS.
 */
export const createPortServer = (acceptHttp2: (socket: Socket) => void) => {
  const health = createHealthServer();
  return createTcpServer((socket) => {
    let seen = Buffer.alloc(0);
    const giveUp = setTimeout(() => socket.destroy(), FIRST_BYTES_MS).unref();
    const onError = (): void => {
      socket.destroy();
    };
    const onReadable = (): void => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        seen = Buffer.concat([seen, chunk as Buffer]);
      }
      const length = Math.min(seen.length, PREFACE.length);
      const isHttp2 = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
      if (isHttp2 && length < PREFACE.length) return;
      socket.off("readable", onReadable);
      socket.off("error", onError);
      clearTimeout(giveUp);
      socket.unshift(seen);
      if (isHttp2) acceptHttp2(socket);
      else health.emit("connection", socket);
    };
    socket.on("error", onError);
    socket.on("close", () => clearTimeout(giveUp));
    socket.on("readable", onReadable);
  });
};
