import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { code } from "../failures.ts";
import { type Method, serveCall } from "./call.ts";
import { createPortServer } from "./http1.ts";

// biome-ignore lint/suspicious/noExplicitAny: each method has its own message types.
type AnyMethod = Method<any, any>;

/** A gRPC server without TLS. */
export type GrpcServer = {
  /** Listens and resolves with the port. Rejects with the system error, such as EADDRINUSE. */
  listen(host: string, port: number): Promise<number>;
  /** Rejects new calls, waits for open ones up to `timeoutMs`, then closes their connections. */
  shutDown(timeoutMs: number): Promise<void>;
};

/**
 * A minimal gRPC server over HTTP/2 for a fixed set of methods; grpc-js needs several times the CPU per
 * message (docs/decisions/011). Unknown methods get UNIMPLEMENTED.
 */
export const createGrpcServer = (options: {
  readonly methods: ReadonlyMap<string, AnyMethod>;
  readonly maxMessageBytes: number;
  /** The interval of HTTP/2 pings, and the time after which an unanswered ping closes the connection. */
  readonly keepAlive: { readonly intervalMs: number; readonly timeoutMs: number };
  /** The time after which a connection without open calls is closed. */
  readonly idleMs: number;
}): GrpcServer => {
  const { methods, maxMessageBytes, keepAlive, idleMs } = options;
  const sessions = new Set<ServerHttp2Session>();
  // Node.js would close connections whose calls buffer much; this server has its own limits.
  const server = createServer({ maxSessionMemory: Number.MAX_SAFE_INTEGER });
  const listener = createPortServer((socket) => server.emit("connection", socket));
  const sockets = new Set<Socket>();
  listener.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // "close" follows an error of the session.
    session.on("error", () => undefined);
    const stopPinging = startPinging(session, keepAlive);
    session.on("close", stopPinging);
    closeIfIdle(session, idleMs);
  });
  server.on("sessionError", () => undefined);
  server.on("stream", (stream, headers) => {
    const method = methods.get(String(headers[":path"]));
    if (!String(headers["content-type"]).startsWith("application/grpc")) {
      stream.on("error", () => undefined);
      stream.respond({ ":status": 415 }, { endStream: true });
    } else if (method) serveCall(stream, headers, method, maxMessageBytes);
    else refuse(stream);
  });

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        listener.once("error", reject);
        listener.listen({ host, port }, () => {
          listener.off("error", reject);
          listener.on("error", () => undefined);
          resolve((listener.address() as AddressInfo).port);
        });
      }),
    shutDown: (timeoutMs) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(force);
          resolve();
        };
        const force = setTimeout(() => {
          for (const session of sessions) session.destroy();
          for (const socket of sockets) socket.destroy();
        }, timeoutMs);
        if (listener.listening) listener.close(end);
        else end();
        for (const session of sessions) session.close();
      }),
  };
};

const refuse = (stream: ServerHttp2Stream): void => {
  stream.on("error", () => undefined);
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc+proto",
      "grpc-status": code.UNIMPLEMENTED,
      "grpc-message": "The server does not implement this method",
    },
    { endStream: true },
  );
  stream.resume();
};

/** Closes a connection that has had no open call for `idleMs`. */
const closeIfIdle = (session: ServerHttp2Session, idleMs: number): void => {
  const closeLater = (): NodeJS.Timeout => setTimeout(() => session.close(), idleMs).unref();
  let idle = closeLater();
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    clearTimeout(idle);
    stream.once("close", () => {
      open -= 1;
      if (open === 0 && !session.closed) idle = closeLater();
    });
  });
  session.on("close", () => clearTimeout(idle));
};

/** Pings a connection at intervals and closes it if a ping is not answered. Returns a function that stops it. */
const startPinging = (
  session: ServerHttp2Session,
  { intervalMs, timeoutMs }: { readonly intervalMs: number; readonly timeoutMs: number },
): (() => void) => {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(ping, intervalMs).unref();
  };
  const ping = (): void => {
    if (session.destroyed) return;
    timer = setTimeout(() => session.destroy(), timeoutMs).unref();
    const isSent = session.ping((error) => {
      clearTimeout(timer);
      if (error) session.destroy();
      else schedule();
    });
    if (!isSent) {
      clearTimeout(timer);
      session.destroy();
    }
  };
  schedule();
  return () => clearTimeout(timer);
};
