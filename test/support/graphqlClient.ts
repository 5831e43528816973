import WebSocket from "ws";

/** What came of a subscription: its values, and how it ended; null while it goes on. */
export type Seen = {
  readonly values: unknown[];
  end: { readonly type: string; readonly payload?: unknown } | null;
};

export type GraphqlClient = {
  subscribe(id: string, payload: object): Seen;
  /** The code that the connection was closed with; null while it is open. */
  closedWith(): number | null;
  close(): void;
};

/**
 * Connects to `/ws/graphql` by the protocol graphql-transport-ws, and says who it is. Rejects with the status, or
 * the closing code, that it is refused with.
 */
export const createGraphqlClient = (
  url: string,
  init: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphqlClient> =>
  new Promise((resolve, reject) => {
    const address = `${url.replace(/^http/, "ws")}/api/v1/ws/graphql`;
    const socket = new WebSocket(address, "graphql-transport-ws", { headers });
    const subscriptions = new Map<string, Seen>();
    let closedWith: number | null = null;
    socket.on("unexpected-response", (_, response) => reject(new Error(`${response.statusCode}`)));
    socket.on("error", reject);
    socket.on("close", (code) => {
      closedWith = code;
      reject(new Error(`${code}`));
    });
    socket.on("open", () =>
      socket.send(JSON.stringify({ type: "connection_init", payload: init })),
    );
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.type === "connection_ack") {
        resolve({
          subscribe: (id, payload) => {
            const seen: Seen = { values: [], end: null };
            subscriptions.set(id, seen);
            socket.send(JSON.stringify({ type: "subscribe", id, payload }));
            return seen;
          },
          closedWith: () => closedWith,
          close: () => socket.terminate(),
        });
        return;
      }
      const seen = subscriptions.get(message.id);
      if (message.type === "next") seen?.values.push(message.payload);
      else if (seen) {
        const { id: _, ...end } = message;
        seen.end = end;
      }
    });
  });
