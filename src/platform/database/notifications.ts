import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { withoutCredentials } from "../credentials.ts";
import { sleep } from "../sleep.ts";
import { within } from "../within.ts";
import { destroyConnection } from "./statementTimeout.ts";

export type Listener = {
  /** Resolves once LISTEN is in force for the first time. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
};

const RETRY_MS = [50, 100, 250, 500, 1_000] as const;
/** The time limit of a response. */
const ANSWER_MS = 2_500;
const CLOSE_MS = 500;
/** The interval of queries that check the connection: a cut network reports no error. */
const HEARTBEAT_MS = 1_500;

/**
 * Listens on a channel (`NOTIFY channel, 'payload'`) on its own connection, which is reopened without a limit.
 * Notifications during an outage are lost: `onConnected` is called after each connection, to query the current state.
 * `onError` is called once per outage.
 */
export const listen = (
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
  options: { onConnected?: () => void; onError?: (message: string) => void } = {},
): Listener => {
  let client: pg.Client | null = null;
  let isDown = false;
  const closing = new AbortController();
  const { promise: ready, resolve: isReady } = signal();

  const session = async (): Promise<void> => {
    client = clientOf(url, channel);
    try {
      await listenOn(client, channel, onPayload, () => {
        isDown = false;
        options.onConnected?.();
        isReady();
      });
    } finally {
      endConnection(client);
      client = null;
    }
  };

  const loop = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const started = Date.now();
      try {
        await session();
      } catch (error) {
        if (!closing.signal.aborted && !isDown)
          options.onError?.(withoutCredentials(String(error)));
        isDown = true;
      }
      if (Date.now() - started > 5_000) failures = 0;
      const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1_000;
      await delay(wait, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const running = loop();

  return {
    ready,
    close: async () => {
      closing.abort();
      isReady();
      if (client) endConnection(client);
      await running;
    },
  };
};

const clientOf = (url: string, channel: string): pg.Client =>
  new pg.Client({
    connectionString: url,
    application_name: `runledger listen ${channel}`,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_MS,
  });

/** Connects and listens until the connection ends. Rejects if the server does not answer. */
const listenOn = async (
  client: pg.Client,
  channel: string,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<void> => {
  const over = new AbortController();
  client.on("end", () => over.abort());
  client.on("error", () => over.abort());
  client.on("notification", (message) => {
    if (message.channel === channel) onPayload(message.payload ?? "");
  });
  await client.connect();
  await inTime(client.query(`LISTEN ${pg.escapeIdentifier(channel)}`));
  onListening();
  while (!over.signal.aborted) {
    await sleep(HEARTBEAT_MS, over.signal);
    if (!over.signal.aborted) await inTime(client.query("SELECT 1"));
  }
};

/** Closes a connection, and destroys it if the server does not answer soon. */
export const endConnection = (client: pg.Client): void => {
  const gone = new AbortController();
  void sleep(CLOSE_MS, gone.signal).then(() => destroyConnection(client));
  client
    .end()
    .catch(() => undefined)
    .finally(() => gone.abort());
};

const inTime = <T>(answer: Promise<T>): Promise<T> =>
  within(answer, ANSWER_MS, () => {
    throw new Error("The database does not answer");
  });

const signal = (): { promise: Promise<void>; resolve: () => void } => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
