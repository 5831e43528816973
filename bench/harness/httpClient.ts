import { connect, type Socket } from "node:net";

export type HttpResponse = { readonly status: number; readonly text: string };

type Exchange = {
  readonly request: string;
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
};

/**
 * An HTTP/1.1 client with `size` keep-alive connections and one request per connection at a time. Other requests queue.
 * Node's client takes 250 µs of CPU per request, which the service on the same machine would lack.
 * Responses need a Content-Length. A request fails if its connection breaks; queued requests get a new connection.
 */
export const openHttpClient = (url: string, size: number) => {
  const { hostname, port } = new URL(url);
  const queue: Exchange[] = [];
  const idle = new Set<Connection>();
  const all = new Set<Connection>();
  const open = (): Connection => {
    const connection = wrapSocket(connect(Number(port), hostname), {
      onIdle: () => {
        const next = queue.shift();
        if (next) connection.send(next);
        else idle.add(connection);
      },
      onClose: () => {
        all.delete(connection);
        idle.delete(connection);
        const next = queue.shift();
        if (next) open().send(next);
      },
    });
    all.add(connection);
    return connection;
  };
  const takeIdle = (): Connection | undefined => {
    for (const connection of idle) {
      idle.delete(connection);
      return connection;
    }
    return undefined;
  };
  const send = (request: string): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const exchange = { request, resolve, reject };
      const connection = takeIdle() ?? (all.size < size ? open() : null);
      if (connection) connection.send(exchange);
      else queue.push(exchange);
    });
  const close = () => {
    for (const connection of all) connection.close();
  };
  return { send, close };
};

type Connection = { send(exchange: Exchange): void; close(): void };

const wrapSocket = (socket: Socket, on: { onIdle(): void; onClose(): void }): Connection => {
  let current: Exchange | null = null;
  let received = "";
  socket.setNoDelay(true);
  // One character per byte, so that Content-Length can be compared with the length of the string.
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk;
    const response = parseResponse(received);
    if (response instanceof Error) socket.destroy(response);
    if (response === null || response instanceof Error) return;
    received = "";
    const finished = current;
    current = null;
    finished?.resolve(response);
    on.onIdle();
  });
  const fail = (error: Error) => {
    current?.reject(error);
    current = null;
  };
  socket.on("error", fail);
  socket.on("close", () => {
    fail(new Error("The connection closed before the response"));
    on.onClose();
  });
  return {
    send: (exchange) => {
      current = exchange;
      socket.write(exchange.request);
    },
    close: () => void socket.destroy(),
  };
};

/** Parses a response. Returns null while it is incomplete, and an Error if it has no Content-Length. */
const parseResponse = (received: string): HttpResponse | Error | null => {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = received.slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return new Error(`The response has no Content-Length: ${head}`);
  const body = received.slice(end + 4);
  if (body.length < Number(length)) return null;
  return { status: Number(head.slice(9, 12)), text: Buffer.from(body, "latin1").toString("utf8") };
};
