import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { code } from "../failures.ts";
import { type Method, serveCall } from "./call.ts";

// biome-ignore lint/suspicious/noExplicitAny: each method has messages of its own.
type AnyMethod = Method<any, any>;

/** A gRPC server without encryption: paths of methods, and who serves them. */
export type GrpcServer = {
  /** Listens, and answers the port. Rejects with the system's own error (EADDRINUSE, say). */
  listen(host: string, port: number): Promise<number>;
  /** Takes no more calls, and lets those that are open end, for so long. */
  shutDown(patienceMs: number): Promise<void>;
};

/**
 * gRPC over HTTP/2, as much of it as a server needs whose methods are few and known. grpc-js, which does
 * all of it, spends several times the CPU on a message: see docs/decisions/011-the-logs-hot-paths.md.
 * Any other method is answered with UNIMPLEMENTED.
 */
export const createGrpcServer = (options: {
  readonly methods: ReadonlyMap<string, AnyMethod>;
  readonly maxMessageBytes: number;
  /** How often a connection is asked whether its other end is alive, and how long it is waited for. */
  readonly keepAlive: { readonly intervalMs: number; readonly timeoutMs: number };
  /** A connection without a call is closed after so long. */
  readonly idleMs: number;
}): GrpcServer => {
  const { methods, maxMessageBytes, keepAlive, idleMs } = options;
  const sessions = new Set<ServerHttp2Session>();
  // Node would break off a connection whose calls hold much; how much they may hold is ours to say.
  const server = createServer({ maxSessionMemory: Number.MAX_SAFE_INTEGER });

  server.on("session", (session) => {
    sessions.add(session);
    const stopAsking = keepAsking(session, keepAlive);
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
    // A connection that breaks is closed next.
    session.on("error", () => undefined);
    session.on("close", () => {
      sessions.delete(session);
      stopAsking();
      clearTimeout(idle);
    });
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
        server.once("error", reject);
        server.listen({ host, port }, () => {
          server.off("error", reject);
          server.on("error", () => undefined);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    shutDown: (patienceMs) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(force);
          resolve();
        };
        const force = setTimeout(() => {
          for (const session of sessions) session.destroy();
        }, patienceMs);
        if (server.listening) server.close(end);
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

/** Asks a connection again and again whether its other end is there, and breaks it off when it is not. */
const keepAsking = (
  session: ServerHttp2Session,
  { intervalMs, timeoutMs }: { readonly intervalMs: number; readonly timeoutMs: number },
): (() => void) => {
  let timer: NodeJS.Timeout;
  const askLater = (): void => {
    timer = setTimeout(ask, intervalMs).unref();
  };
  const ask = (): void => {
    if (session.destroyed) return;
    timer = setTimeout(() => session.destroy(), timeoutMs).unref();
    const isSent = session.ping((error) => {
      clearTimeout(timer);
      if (error) session.destroy();
      else askLater();
    });
    if (!isSent) {
      clearTimeout(timer);
      session.destroy();
    }
  };
  askLater();
  return () => clearTimeout(timer);
};
