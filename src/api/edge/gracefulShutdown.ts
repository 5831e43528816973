import type { FastifyInstance } from "fastify";
import type { WebSocket, WebSocketServer } from "ws";
import { ApiError } from "../apiError.ts";

/** RFC 6455, 7.4.1: "going away". */
const GOING_AWAY = 1001;
const REASON =
  "The service is shutting down. Reconnect and subscribe with after: the last sequence received.";
/** Time for requests in progress to finish, in milliseconds; then connections are closed. */
const DRAIN_MS = 8_000;
/** Interval for closing idle connections, in milliseconds. */
const IDLE_CHECK_MS = 200;
/** Time for a client to complete the closing handshake, in milliseconds. */
const CLOSE_MS = 2_000;

/**
 * Shuts down gracefully: requests in progress are answered, new requests on open connections get 503 and
 * `Connection: close`, and connections still open after {@link DRAIN_MS} are closed.
 */
export const registerGracefulShutdown = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
    // A connection becomes idle after its response, and would delay the shutdown.
    const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
    app.server.once("close", () => {
      clearInterval(idle);
      clearTimeout(deadline);
    });
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (isClosing) reply.header("connection", "close");
    done();
  });
  app.addHook("onRequest", (request, _reply, done) => {
    // The process is alive until the end, but not ready.
    if (isClosing && !request.routeOptions.url?.endsWith("/health/live")) {
      throw new ApiError(503, "The service is shutting down. Try again.", { "retry-after": "2" });
    }
    done();
  });
};

/** Closes every WebSocket, including handshakes in progress, with a reason. Terminates those not closed in time. */
export const closeWebSockets = (server: WebSocketServer): void => {
  const end = (client: WebSocket): void => {
    client.close(GOING_AWAY, REASON);
    setTimeout(() => client.terminate(), CLOSE_MS).unref();
  };
  for (const client of server.clients) end(client);
  server.on("connection", end);
};
