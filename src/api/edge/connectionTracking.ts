import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Requests in progress on one connection. */
export type ConnectionState = {
  /** Resolves when every completely received request has been answered. */
  whenAnswered(): Promise<void>;
  /** The request still being received, and whether it has been answered already. */
  readonly unfinished: { readonly isAnswered: boolean } | null;
};

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * Tracks the requests of each connection. Responses written directly to a socket (malformed HTTP, upgrades, CONNECT)
 * must follow those of pipelined requests.
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
