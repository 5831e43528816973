import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { sleep } from "../../platform/sleep.ts";
import type { Watcher } from "./runFeed.ts";

/** What a reader may leave unread, in bytes. One that falls further behind is cut off: it comes again with `after`. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** A replay goes on once less than this is unread. */
const COMFORTABLE_BYTES = 256 * 1024;
/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 30_000;
const PING_MS = 15_000;

export type Connection = Watcher & {
  say(message: Readonly<Record<string, unknown>>): void;
  close(code: number, reason: string): void;
};

/**
 * One WebSocket of the server's side: writes frames that were made before straight to its TCP
 * socket, cuts off who does not keep up or does not answer pings.
 */
export const createConnection = (socket: WebSocket, tcp: Socket): Connection => {
  const ended = new AbortController();
  let answered = true;
  socket.on("close", () => {
    clearInterval(heartbeat);
    ended.abort();
  });
  socket.on("pong", () => {
    answered = true;
  });
  const heartbeat = setInterval(() => {
    if (!answered) socket.terminate();
    answered = false;
    if (isOpen()) socket.ping();
  }, PING_MS);
  heartbeat.unref();

  // Pongs are sent by themselves: who asks for them and reads none is cut off like any other.
  socket.on("ping", () => endIfBehind());

  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const unread = (): number => tcp.writableLength;
  /** A close frame would wait behind what is not read. */
  const endIfBehind = (): void => {
    if (unread() > MAX_BUFFERED_BYTES) socket.terminate();
  };

  /** Waits for the client to read; false when it has taken nothing for too long. */
  const drained = async (): Promise<boolean> => {
    let least = unread();
    let movedAt = performance.now();
    while (isOpen() && unread() > COMFORTABLE_BYTES) {
      await sleep(20, ended.signal);
      if (unread() < least) {
        least = unread();
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
      endIfBehind();
    },
    ready: async () => {
      if (!(await drained())) socket.terminate();
    },
    say: (message) => {
      if (!isOpen()) return;
      socket.send(JSON.stringify(message));
      endIfBehind();
    },
    close: (code, reason) => socket.close(code, reason),
  };
};
