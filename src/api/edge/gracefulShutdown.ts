import type { FastifyInstance } from "fastify";
import type { WebSocket, WebSocketServer } from "ws";
import { ApiError } from "../apiError.ts";

/** RFC 6455, 7.4.1: "going away". */
const GOING_AWAY = 1001;
const WHY =
  "The service stops. Connect again, and subscribe with after: the last sequence you have.";
/** How long a stop waits for what is under way, in milliseconds; then connections are cut. */
const PATIENCE_MS = 8_000;
/** How often connections on which nothing is asked any more are closed meanwhile, in milliseconds. */
const IDLE_CHECK_MS = 200;
/** How long a client may take to say goodbye too, in milliseconds. */
const GOODBYE_MS = 2_000;

/**
 * Lets the service end without breaking what is under way: who is being answered is answered, who asks
 * on a connection that is still open is told to come again (503, the connection closes), and who does
 * not come to an end within {@link PATIENCE_MS} is cut off.
 */
export const registerGracefulShutdown = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
    // Whose answer was on its way keeps its connection open, and would hold up the stop.
    const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
    const patience = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
    app.server.once("close", () => {
      clearInterval(idle);
      clearTimeout(patience);
    });
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (isClosing) reply.header("connection", "close");
    done();
  });
  app.addHook("onRequest", (request, _reply, done) => {
    // Until its end the process lives, and is not ready.
    if (isClosing && !request.routeOptions.url?.endsWith("/health/live")) {
      throw new ApiError(503, "The service is shutting down. Try again.", { "retry-after": "2" });
    }
    done();
  });
};

/** Tells every WebSocket, also one whose handshake is under way, that the service goes and how to resume; cuts off who does not close in time. */
export const closeWebSockets = (server: WebSocketServer): void => {
  const end = (client: WebSocket): void => {
    client.close(GOING_AWAY, WHY);
    setTimeout(() => client.terminate(), GOODBYE_MS).unref();
  };
  for (const client of server.clients) end(client);
  server.on("connection", end);
};
