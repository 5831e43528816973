import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type NetworkPolicy, type Resolve, wayTo } from "./networkPolicy.ts";

/** How long a connection may take to be made. */
const CONNECT_TIMEOUT_MS = 15_000;

/** Decides on each connection of one test's pages: a forward proxy of their own, on loopback. */
export type Gate = {
  readonly url: string;
  /** Why connections to a host were refused last; null when none was. */
  refusalOf(host: string): string | null;
  close(): void;
};

/** A gate that is open. */
type OpenGate = {
  readonly policy: NetworkPolicy;
  readonly resolve: Resolve | undefined;
  readonly refusals: Map<string, string>;
  readonly sockets: Set<Duplex>;
  isClosed: boolean;
};

/**
 * Opens a gate. It looks names up itself, decides on the addresses that they have at that moment, and
 * connects to the one that it decided on: a name that changes its mind between two look-ups gains nothing.
 */
export const openGate = async (policy: NetworkPolicy, resolve?: Resolve): Promise<Gate> => {
  const gate: OpenGate = {
    ...{ policy, resolve, isClosed: false },
    ...{ refusals: new Map(), sockets: new Set() },
  };
  const server = createServer((asked, answer) => void forward(gate, asked, answer));
  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(gate, asked, client, head);
  });
  server.on("connection", (socket) => keep(gate, socket));
  server.on("clientError", (_, socket) => socket.destroy());
  server.unref();
  await new Promise<void>((settle, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", settle);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    refusalOf: (host) => gate.refusals.get(host) ?? null,
    close: () => {
      gate.isClosed = true;
      server.close();
      for (const socket of gate.sockets) socket.destroy();
    },
  };
};

/** Registers a socket, so that the gate closes it at its end. */
const keep = <Kept extends Duplex>({ sockets }: OpenGate, socket: Kept): Kept => {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
  return socket;
};

/** A connection to a host; null when it is refused or cannot be made. */
const connectTo = async (gate: OpenGate, host: string, port: number): Promise<Socket | null> => {
  const way = await wayTo(host, gate.policy, gate.resolve);
  if ("refusal" in way) {
    gate.refusals.set(host, way.refusal);
    return null;
  }
  // Whoever asked has gone while the name was looked up: nobody would ever end the connection.
  if (gate.isClosed) return null;
  return new Promise((settle) => {
    const socket = keep(gate, connect({ host: way.address, port, timeout: CONNECT_TIMEOUT_MS }));
    const fail = () => {
      socket.destroy();
      settle(null);
    };
    socket.once("timeout", fail);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      socket.off("timeout", fail);
      settle(socket);
    });
  });
};

/** Passes a plain HTTP request on. */
const forward = async (
  gate: OpenGate,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> => {
  const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : null;
  if (url?.protocol !== "http:") return void asked.destroy();
  const socket = await connectTo(gate, url.hostname, Number(url.port || 80));
  // Nothing is answered that a page could take for the site's own word.
  if (!socket) return void asked.destroy();
  const passed = request({
    createConnection: () => socket,
    method: asked.method,
    path: `${url.pathname}${url.search}`,
    headers: onwards(asked.rawHeaders),
    setHost: false,
  });
  // Destroying a request that was read to its end leaves its connection open: whoever asked would wait.
  passed.on("error", () => answer.destroy());
  passed.on("upgrade", () => answer.destroy());
  passed.on("response", (response) => {
    try {
      answer.writeHead(
        response.statusCode ?? 502,
        response.statusMessage,
        onwards(response.rawHeaders),
      );
    } catch {
      // A response that no server may send (a status of 99, a line with a NUL in it) is read, but cannot be sent on.
      answer.destroy();
      return;
    }
    response.pipe(answer);
    response.on("error", () => answer.destroy());
  });
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
};

/** Opens a tunnel for HTTPS and WebSockets. */
const tunnel = async (
  gate: OpenGate,
  asked: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> => {
  keep(gate, client);
  const url = URL.canParse(`http://${asked.url}`) ? new URL(`http://${asked.url}`) : null;
  const socket = url && (await connectTo(gate, url.hostname, portOf(asked.url ?? "")));
  if (!socket) {
    client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) socket.write(head);
  socket.pipe(client).pipe(socket);
  socket.once("close", () => client.destroy());
  client.once("close", () => socket.destroy());
};

const portOf = (authority: string): number => {
  const port = Number(/:(\d{1,5})$/.exec(authority)?.[1] ?? 443);
  return port > 0 && port < 65_536 ? port : 443;
};

/** Headers that speak of one connection and not of the message. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/** Headers as they are passed on, each as often as it came. */
const onwards = (raw: readonly string[]): string[] => {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
};
