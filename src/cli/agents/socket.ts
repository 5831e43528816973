import { WebSocket } from "ws";
import { type FromAgent, type ToAgent, toAgent } from "../../domain/agents/protocol.ts";
import type { Connection } from "../connection.ts";

/** How a connection ended. */
export type SocketEnd =
  /** The service rejects the key: reconnecting does not help. */
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "lost"; readonly detail: string };

export type AgentSocket = {
  send(message: FromAgent): void;
  close(): void;
};

/** Closes the connection after this silence: the service acknowledges each heartbeat. */
const SILENT_MS = 15_000;
const HANDSHAKE_MS = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;
const KEY_ENDED = 4401;

/**
 * Connects to the agent endpoint of the service; resolves when the connection has ended. Messages of an unknown type,
 * such as those of a newer service, are ignored.
 */
export const openSocket = (
  { server, apiKey }: Connection,
  on: {
    readonly open: (line: AgentSocket) => void;
    readonly message: (message: ToAgent) => void;
  },
  signal: AbortSignal,
): Promise<SocketEnd> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${server.replace(/^http/, "ws")}/api/v1/ws/agent`, {
      headers: { authorization: `Bearer ${apiKey}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MOST_BYTES,
    });
    let heardAt = performance.now();
    let failure = "";
    const watch = setInterval(() => {
      if (performance.now() - heardAt > SILENT_MS) socket.terminate();
    }, 1_000);
    const close = () => socket.close(1000);
    const abort = () => socket.terminate();
    const end = (result: SocketEnd): void => {
      clearInterval(watch);
      signal.removeEventListener("abort", abort);
      resolve(result);
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) socket.terminate();

    socket.on("unexpected-response", (_request, response) => {
      response.resume();
      const { statusCode = 0 } = response;
      socket.terminate();
      const isRefused = statusCode === 401 || statusCode === 403;
      end({ kind: isRefused ? "refused" : "lost", detail: `the service returned ${statusCode}` });
    });
    socket.on("open", () =>
      on.open({ send: (message) => socket.send(JSON.stringify(message)), close }),
    );
    socket.on("message", (data) => {
      heardAt = performance.now();
      const message = read(data.toString());
      if (message) on.message(message);
    });
    socket.on("ping", () => {
      heardAt = performance.now();
    });
    socket.on("error", (error) => {
      failure = "code" in error ? String(error.code) : error.message;
    });
    socket.on("close", (code, reason) => {
      const detail = reason.toString() || failure || `closed with ${code}`;
      end({ kind: code === KEY_ENDED ? "refused" : "lost", detail });
    });
  });

const read = (text: string): ToAgent | null => {
  try {
    const parsed = toAgent.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
