import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { sleep } from "../../platform/sleep.ts";
import type { Subscriber } from "./subscriber.ts";

/** Maximum of unsent bytes per connection. A slower client is disconnected and resumes with `after`. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** A replay continues once fewer bytes are unsent. */
const LOW_WATER_BYTES = 256 * 1024;
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000;
const PING_MS = 15_000;

export type Connection = Subscriber & {
  sendJson(message: Readonly<Record<string, unknown>>): void;
  close(code: number, reason: string): void;
};

/**
 * The server side of a WebSocket. Writes prepared frames directly to the TCP socket, and disconnects clients that read
 * too slowly or do not answer pings.
 */
export const createConnection = (socket: WebSocket, tcp: Socket): Connection => {
  const ended = new AbortController();
  let ponged = true;
  socket.on("close", () => {
    clearInterval(heartbeat);
    ended.abort();
  });
  socket.on("pong", () => {
    ponged = true;
  });
  const heartbeat = setInterval(() => {
    if (!ponged) socket.terminate();
    ponged = false;
    if (isOpen()) socket.ping();
  }, PING_MS);
  heartbeat.unref();

  // The library answers pings itself: a client may send pings and never read the pongs.
  socket.on("ping", () => terminateIfSlow());

  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const unsentBytes = (): number => tcp.writableLength;
  /** Terminates instead of closing: a close frame would queue behind the unsent bytes. */
  const terminateIfSlow = (): void => {
    if (unsentBytes() > MAX_BUFFERED_BYTES) socket.terminate();
  };

  /** Waits until the client has read enough; false if it stalls. */
  const drained = async (): Promise<boolean> => {
    let least = unsentBytes();
    let movedAt = performance.now();
    while (isOpen() && unsentBytes() > LOW_WATER_BYTES) {
      await sleep(20, ended.signal);
      if (unsentBytes() < least) {
        least = unsentBytes();
        movedAt = performance.now();
      }
      if (performance.now() - movedAt > STALLED_MS) return false;
    }
    return true;
  };

  return {
    send: (frame) => {
      if (!isOpen()) return;
      tcp.write(frame);
      terminateIfSlow();
    },
    ready: async () => {
      if (!(await drained())) socket.terminate();
    },
    sendJson: (message) => {
      if (!isOpen()) return;
      socket.send(JSON.stringify(message));
      terminateIfSlow();
    },
    close: (code, reason) => socket.close(code, reason),
  };
};
