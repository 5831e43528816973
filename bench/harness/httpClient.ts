import { connect, type Socket } from "node:net";

export type Answer = { readonly status: number; readonly text: string };

type Asked = {
  readonly request: string;
  resolve(answer: Answer): void;
  reject(error: Error): void;
};

/**
 * HTTP/1.1 over connections that stay open, one request on each at a time; what finds none free waits for the next.
 * Node's own client takes a quarter of a millisecond of CPU for each request, which the service then does not have where
 * both are on one machine. Answers must say their length. A request on a connection that breaks is rejected; what waits
 * is sent on a new one.
 */
export const openWires = (url: string, connections: number) => {
  const { hostname, port } = new URL(url);
  const waiting: Asked[] = [];
  const free = new Set<Wire>();
  const all = new Set<Wire>();
  const wireOf = (): Wire => {
    const wire = openWire(connect(Number(port), hostname), {
      onFree: () => {
        const next = waiting.shift();
        if (next) wire.ask(next);
        else free.add(wire);
      },
      onEnd: () => {
        all.delete(wire);
        free.delete(wire);
        const next = waiting.shift();
        if (next) wireOf().ask(next);
      },
    });
    all.add(wire);
    return wire;
  };
  const freeOne = (): Wire | undefined => {
    for (const wire of free) {
      free.delete(wire);
      return wire;
    }
    return undefined;
  };
  const ask = (request: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = { request, resolve, reject };
      const wire = freeOne() ?? (all.size < connections ? wireOf() : null);
      if (wire) wire.ask(asked);
      else waiting.push(asked);
    });
  const close = () => {
    for (const wire of all) wire.close();
  };
  return { ask, close };
};

type Wire = { ask(asked: Asked): void; close(): void };

const openWire = (socket: Socket, on: { onFree(): void; onEnd(): void }): Wire => {
  let asked: Asked | null = null;
  let received = "";
  socket.setNoDelay(true);
  // Lengths are counted in bytes.
  socket.setEncoding("latin1");
  socket.on("data", (part: string) => {
    received += part;
    const answer = answerIn(received);
    if (answer instanceof Error) socket.destroy(answer);
    if (answer === null || answer instanceof Error) return;
    received = "";
    const answered = asked;
    asked = null;
    answered?.resolve(answer);
    on.onFree();
  });
  const fail = (error: Error) => {
    asked?.reject(error);
    asked = null;
  };
  socket.on("error", fail);
  socket.on("close", () => {
    fail(new Error("The connection was closed before the answer"));
    on.onEnd();
  });
  return {
    ask: (next) => {
      asked = next;
      socket.write(next.request);
    },
    close: () => void socket.destroy(),
  };
};

/** The answer in what was received: null until it is whole, an error where it does not say its length. */
const answerIn = (received: string): Answer | Error | null => {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = received.slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return new Error(`An answer does not say its length: ${head}`);
  const body = received.slice(end + 4);
  if (body.length < Number(length)) return null;
  return { status: Number(head.slice(9, 12)), text: Buffer.from(body, "latin1").toString("utf8") };
};
