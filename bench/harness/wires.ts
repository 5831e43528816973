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
 * both are on one machine. Answers must say their length. A request on a connection that breaks is rejected.
 */
export const openWires = (url: string, connections: number) => {
  const { hostname, port } = new URL(url);
  const waiting: Asked[] = [];
  const free: Wire[] = [];
  const all: Wire[] = [];
  const wireOf = (): Wire => {
    const wire = openWire(connect(Number(port), hostname), () => {
      const next = waiting.shift();
      if (next) wire.ask(next);
      else free.push(wire);
    });
    all.push(wire);
    return wire;
  };
  const ask = (request: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = { request, resolve, reject };
      const wire = free.pop() ?? (all.length < connections ? wireOf() : null);
      if (wire) wire.ask(asked);
      else waiting.push(asked);
    });
  const close = () => {
    for (const wire of all) wire.close();
  };
  return { ask, close };
};

type Wire = { ask(asked: Asked): void; close(): void };

const openWire = (socket: Socket, onFree: () => void): Wire => {
  let asked: Asked | null = null;
  let received = "";
  socket.setNoDelay(true);
  // Lengths are counted in bytes.
  socket.setEncoding("latin1");
  socket.on("data", (part: string) => {
    received += part;
    const answer = answerIn(received);
    if (!answer) return;
    received = "";
    const answered = asked;
    asked = null;
    answered?.resolve(answer);
    onFree();
  });
  const fail = (error: Error) => {
    asked?.reject(error);
    asked = null;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The connection was closed before the answer")));
  return {
    ask: (next) => {
      asked = next;
      if (socket.destroyed) fail(new Error("The connection is closed"));
      else socket.write(next.request);
    },
    close: () => void socket.destroy(),
  };
};

/** The answer in what was received, once it is whole. */
const answerIn = (received: string): Answer | null => {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = received.slice(0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer does not say its length: ${head}`);
  const body = received.slice(end + 4);
  if (body.length < Number(length)) return null;
  return { status: Number(head.slice(9, 12)), text: Buffer.from(body, "latin1").toString("utf8") };
};
