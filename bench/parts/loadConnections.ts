import { connect, type Socket } from "node:net";

export type LoadResponse = { readonly status: number; readonly hasRetryAfter: boolean };

/** The connection closed before the response. */
export type Closed = { readonly closed: string };

type Connection = {
  readonly socket: Socket;
  /** The received part of the response. */
  parts: Buffer[];
  length: number;
  /** The length of the whole response, once its head is complete. */
  end: number;
  response: LoadResponse | null;
  responses: number;
  /** The reason why the connection closed. */
  closed: string;
  resolve: ((response: LoadResponse | Closed) => void) | null;
};

/**
 * A pool of up to `size` keep-alive connections with one request per connection at a time. It uses little CPU, so that
 * the client is not the bottleneck. Responses need a Content-Length.
 */
export const createLoadConnections = (url: string, size: number) => {
  const { hostname, port } = new URL(url);
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const queue: ((connection: Connection) => void)[] = [];

  const release = (connection: Connection): void => {
    const next = queue.shift();
    if (next) next(connection);
    else idle.push(connection);
  };
  const open = (): Connection => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const connection = newConnection(socket);
    const openedAt = performance.now();
    all.add(connection);
    socket.on("data", (part: Buffer) => {
      connection.parts.push(part);
      connection.length += part.length;
      if (connection.response === null) readHead(connection);
      if (connection.response === null || connection.length < connection.end) return;
      finish(connection, connection.response);
      release(connection);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      connection.closed = `${error.syscall} ${error.code}`;
      socket.destroy();
    });
    socket.on("close", () => {
      all.delete(connection);
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
      const seconds = ((performance.now() - openedAt) / 1_000).toFixed(1);
      const closed = `${connection.closed} after ${seconds} s, ${connection.responses} responses and ${connection.length} bytes of the next`;
      finish(connection, { closed });
      if (queue.length > 0) release(open());
    });
    return connection;
  };
  const take = (): Promise<Connection> => {
    const connection = idle.pop() ?? (all.size < size ? open() : null);
    return connection ? Promise.resolve(connection) : new Promise((resolve) => queue.push(resolve));
  };

  return {
    send: async (request: string): Promise<LoadResponse | Closed> => {
      const connection = await take();
      return new Promise((resolve) => {
        connection.resolve = resolve;
        connection.socket.write(request);
      });
    },
    close: (): void => {
      queue.length = 0;
      for (const { socket } of all) socket.destroy();
    },
  };
};

const newConnection = (socket: Socket): Connection => ({
  socket,
  parts: [],
  length: 0,
  end: 0,
  response: null,
  responses: 0,
  closed: "closed",
  resolve: null,
});

/** Resolves the pending request and resets the connection for the next one. */
const finish = (connection: Connection, response: LoadResponse | Closed): void => {
  const { resolve } = connection;
  connection.resolve = null;
  connection.responses += 1;
  connection.parts = [];
  connection.length = 0;
  connection.end = 0;
  connection.response = null;
  resolve?.(response);
};

const readHead = (connection: Connection): void => {
  const head =
    connection.parts.length === 1 ? connection.parts[0] : Buffer.concat(connection.parts);
  const headEnd = head?.indexOf("\r\n\r\n") ?? -1;
  if (!head || headEnd === -1) return;
  const text = head.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  connection.end = headEnd + 4 + Number(length ?? 0);
  const status = Number(text.slice(9, 12));
  connection.response = {
    status,
    hasRetryAfter: status === 503 && /\r\nretry-after: *\d/i.test(text),
  };
};
