import { setMaxListeners } from "node:events";
import pg from "pg";
import { createGrpcServer } from "./grpc/server.ts";
import { createReader } from "./read/reader.ts";
import { createTail } from "./read/tail.ts";
import { createMethods } from "./service.ts";
import { connectionConfig } from "./write/session.ts";
import { createWriter } from "./write/writer.ts";
import type { EngineLogger } from "./write/writerState.ts";

/** EventStoreDB's limit. It exceeds the limit of an append, so that a large append gets the specific error. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** The time limit of a query for a page. */
const READ_TIMEOUT_MS = 10_000;

/** The approximate memory of all pages that wait for slow readers. */
const MAX_PAGES_BYTES = 128 * 1024 * 1024;

const KEEP_ALIVE = { intervalMs: 10_000, timeoutMs: 10_000 };

/**
 * The time after which a connection without open calls is closed. The client's gRPC library may leave
 * abandoned connections open: see docs/decisions/013-close-idle-grpc-connections-on-the-server.md.
 */
const IDLE_MS = 60_000;

/** The time that open calls have to end at a stop. */
const STOP_MS = 500;

const silent: EngineLogger = { info: () => {}, warn: () => {} };

/** A running event log. `url` is a connection string for an EventStoreDB client. */
export type EmbeddedEventStore = { readonly url: string; stop(): Promise<void> };

/**
 * Starts an event log that serves EventStoreDB's protocol and stores its events in PostgreSQL, schema
 * `eventstore`. Rejects if the database is unavailable, or if another process holds the writer's lock for
 * longer than `lockTimeoutMs` (10 s by default). Later outages of the database make calls fail with
 * UNAVAILABLE until it is back.
 */
export const startEmbeddedEventStore = async (options: {
  databaseUrl: string;
  logger?: EngineLogger;
  /** The address to listen on, 127.0.0.1 by default. There is no access control: every client may do everything. */
  host?: string;
  /** 0 (any free port) by default. */
  port?: number;
  /** The interval of pings and the timeout of their responses; 10 s each by default, as in EventStoreDB. */
  keepAlive?: { intervalMs: number; timeoutMs: number };
  /** The time after which a connection without open calls is closed; 60 s by default. */
  idleMs?: number;
  lockTimeoutMs?: number;
}): Promise<EmbeddedEventStore> => {
  const logger = options.logger ?? silent;
  const tail = createTail();
  const writer = createWriter({
    databaseUrl: options.databaseUrl,
    tail,
    logger,
    lockTimeoutMs: options.lockTimeoutMs ?? 10_000,
  });
  const pool = new pg.Pool({
    ...connectionConfig(options.databaseUrl),
    max: 6,
    query_timeout: READ_TIMEOUT_MS,
    // The database cancels the query before the client gives up, so that it does not run on unobserved.
    statement_timeout: READ_TIMEOUT_MS - 1_000,
  });
  // Errors of idle connections: the next query gets a new connection, or the error.
  pool.on("error", () => {});
  // Errors of acquired connections between two queries: unhandled, they would end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  const stopping = new AbortController();
  // Every open call adds a listener.
  setMaxListeners(0, stopping.signal);
  const host = options.host ?? "127.0.0.1";
  const slowReaders = { count: 0 };
  const server = createGrpcServer({
    methods: createMethods({
      reader: createReader(pool, () => MAX_PAGES_BYTES / (2 * Math.max(1, slowReaders.count))),
      slowReaders,
      writer,
      tail,
      logger,
      stopping: stopping.signal,
    }),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    keepAlive: options.keepAlive ?? KEEP_ALIVE,
    idleMs: options.idleMs ?? IDLE_MS,
  });

  try {
    await writer.start();
    const port = await server.listen(host, options.port ?? 0);
    return {
      url: `esdb://${localAddress(host)}:${port}?tls=false`,
      stop: async () => {
        await writer.stop();
        stopping.abort();
        await server.shutDown(STOP_MS);
        await pool.end();
      },
    };
  } catch (error) {
    await writer.stop();
    await pool.end();
    throw error;
  }
};

const withBrackets = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The address at which a server that listens on `host` is reached from the same machine. */
const localAddress = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : withBrackets(host);
};
