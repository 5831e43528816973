import WebSocket from "ws";

/** The values of a subscription and its end, which is null while it is open. */
export type Seen = {
  readonly values: unknown[];
  end: { readonly type: string; readonly payload?: unknown } | null;
};

export type GraphqlClient = {
  subscribe(id: string, payload: object): Seen;
  /** The close code of the connection, null while it is open. */
  closedWith(): number | null;
  close(): void;
};

/**
 * Connects to `/ws/graphql` with the protocol graphql-transport-ws and authenticates. Rejects with the HTTP status or
 * the close code of a refusal.
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
