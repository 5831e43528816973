import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** What goes on on one connection, beyond what its request and its answer know of each other. */
export type ConnectionState = {
  /** Resolves once every request that came in whole has had its answer: what follows must not overtake it. */
  whenAnswered(): Promise<void>;
  /** The request that is still coming in, and whether it has been answered before its end. */
  readonly unfinished: { readonly isAnswered: boolean } | null;
};

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * Follows the requests of each connection, so that what Node leaves to a bare socket (malformed HTTP,
 * upgrades, CONNECT) is answered in its turn behind pipelined requests, and never into an answer.
 */
export const trackConnections = (server: Server): ((socket: Duplex) => ConnectionState) => {
  const open = new WeakMap<Duplex, Set<Exchange>>();
  const latest = new WeakMap<Duplex, Exchange>();

  server.prependListener("request", (request, response) => {
    const exchange: Exchange = { request, response };
    const exchanges = open.get(request.socket) ?? new Set();
    open.set(request.socket, exchanges.add(exchange));
    latest.set(request.socket, exchange);
    response.once("close", () => exchanges.delete(exchange));
  });

  return (socket) => {
    const last = latest.get(socket);
    return {
      whenAnswered: async () => {
        const whole = [...(open.get(socket) ?? [])].filter(({ request }) => request.complete);
        await Promise.all(whole.map(({ response }) => closed(response)));
      },
      unfinished: last && !last.request.complete ? { isAnswered: last.response.headersSent } : null,
    };
  };
};

const closed = (response: ServerResponse): Promise<void> =>
  response.closed
    ? Promise.resolve()
    : new Promise((resolve) => response.once("close", () => resolve()));
