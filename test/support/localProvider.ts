import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A request received by a provider. */
export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests read any body.
  readonly body: any;
};

export type ProviderReply = { readonly status: number; readonly json: object };

/** The reply to a method on matching paths. `id` is the first group of the path. */
export type ProviderRoute<State> = {
  readonly method: string;
  readonly path: RegExp;
  answer(state: State, seen: Seen, id: string): ProviderReply;
};

/** A payment provider on loopback. */
export type LocalProvider = {
  readonly url: string;
  readonly seen: Seen[];
  /** Replies to use instead, once each. `cut` closes the connection after the request was processed. */
  readonly instead: (ProviderReply | "cut")[];
  stop(): Promise<void>;
};

/** The reply of the first route that matches a request; null if there is none. */
export const routed = <State>(
  routes: readonly ProviderRoute<State>[],
  state: State,
  seen: Seen,
): ProviderReply | null => {
  for (const { method, path, answer } of routes) {
    const found = method === seen.method ? path.exec(seen.path) : null;
    if (found) return answer(state, seen, found[1] ?? "");
  }
  return null;
};

/** Starts a provider. `read` parses a body. */
export const startLocalProvider = async (
  read: (text: string) => unknown,
  answer: (seen: Seen) => ProviderReply,
): Promise<LocalProvider> => {
  const seen: Seen[] = [];
  const instead: LocalProvider["instead"] = [];
  const server: Server = createServer(async (request, response) => {
    const one = await seenIn(request, read);
    seen.push(one);
    const other = instead.shift();
    const reply = other === undefined || other === "cut" ? answer(one) : other;
    if (other === "cut") {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(JSON.stringify(reply.json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    instead,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const seenIn = async (request: IncomingMessage, read: (text: string) => unknown): Promise<Seen> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const url = new URL(request.url ?? "/", "http://local");
  return {
    method: request.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: text === "" ? null : read(text),
  };
};
