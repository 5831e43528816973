import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { withoutCredentials } from "../credentials.ts";

export type Listener = {
  /** Resolves once LISTEN is in force for the first time. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
};

const RETRY_MS = [50, 100, 250, 500, 1_000] as const;

/**
 * Listens on a channel (`NOTIFY channel, 'payload'`) on a connection of its own, and connects again for ever.
 * What is notified while the connection is down is lost: `onConnected` is called on each (re)connection, to look for oneself.
 */
export const listen = (
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
  options: { onConnected?: () => void; onError?: (message: string) => void } = {},
): Listener => {
  let client: pg.Client | null = null;
  const closing = new AbortController();
  const { promise: ready, resolve: isReady } = signal();

  const session = async (): Promise<void> => {
    const current = new pg.Client({
      connectionString: url,
      application_name: `runledger listen ${channel}`,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      current.on("end", resolve);
      current.on("error", () => resolve());
    });
    current.on("notification", (message) => {
      if (message.channel === channel) onPayload(message.payload ?? "");
    });
    client = current;
    try {
      await current.connect();
      await current.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      options.onConnected?.();
      isReady();
      await ended;
    } finally {
      client = null;
      await current.end().catch(() => undefined);
    }
  };

  const loop = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const started = Date.now();
      try {
        await session();
      } catch (error) {
        if (!closing.signal.aborted) options.onError?.(withoutCredentials(String(error)));
      }
      if (Date.now() - started > 5_000) failures = 0;
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1_000;
      await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const running = loop();

  return {
    ready,
    close: async () => {
      closing.abort();
      isReady();
      await client?.end().catch(() => undefined);
      await running;
    },
  };
};

const signal = (): { promise: Promise<void>; resolve: () => void } => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
