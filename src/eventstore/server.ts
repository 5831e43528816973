import { setMaxListeners } from "node:events";
import pg from "pg";
import { createGrpcServer } from "./grpc/server.ts";
import { createReader } from "./read/reader.ts";
import { createMethods } from "./service.ts";
import { connectionConfig } from "./write/session.ts";
import { createTail } from "./read/tail.ts";
import { createWriter, type EngineLogger } from "./write/writer.ts";

/** Above the append limit, so that an append that is too large gets its own error; EventStoreDB's own bound. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** A page that is not there by then does not come: the database hangs. */
const READ_TIMEOUT_MS = 10_000;

/** About so much do all slow readers together hold in pages that wait to be taken. */
const MAX_PAGES_BYTES = 128 * 1024 * 1024;

const KEEP_ALIVE = { intervalMs: 10_000, timeoutMs: 10_000 };

/**
 * A connection without a call is closed after so long; who calls again connects again. The client's library lets it
 * forget connections that were waiting to be made when they were given up, and stay open: see
 * docs/decisions/013-connections-nobody-uses.md.
 */
const IDLE_MS = 60_000;

/** Calls that are open at a stop have so long to end. */
const STOP_MS = 500;

const silent: EngineLogger = { info: () => {}, warn: () => {} };

/** A running event log. `url` is a connection string for any EventStoreDB client. */
export type EmbeddedEventStore = { readonly url: string; stop(): Promise<void> };

/**
 * Starts an event log that speaks EventStoreDB's protocol and keeps its events in Postgres,
 * schema `eventstore`. Rejects when the database cannot be reached, or when another process still
 * writes this log after `lockTimeoutMs` (10 s by default). Afterwards it lives through the database
 * going away: calls fail with UNAVAILABLE until it is back.
 */
export const startEmbeddedEventStore = async (options: {
  databaseUrl: string;
  logger?: EngineLogger;
  /** The address to listen on, 127.0.0.1 by default. There is no access control: whoever reaches it may do all. */
  host?: string;
  /** 0, any free port, by default. */
  port?: number;
  /** How often a quiet connection is asked whether its other end is alive, and how long it is waited for; EventStoreDB's 10 s each by default. */
  keepAlive?: { intervalMs: number; timeoutMs: number };
  /** How long a connection without a call stays open; a minute by default. */
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
    // The database gives up first, and so does not go on with what nobody waits for.
    statement_timeout: READ_TIMEOUT_MS - 1_000,
  });
  // An idle connection that breaks says so here; whoever asks next gets a new one, or the error.
  pool.on("error", () => {});
  // One that is handed out and has nothing to answer says so itself: with nobody to hear it, that would end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  const stopping = new AbortController();
  // Every open call listens: their number is no leak.
  setMaxListeners(0, stopping.signal);
  const host = options.host ?? "127.0.0.1";
  const crowd = { waiting: 0 };
  const server = createGrpcServer({
    methods: createMethods({
      reader: createReader(pool, () => MAX_PAGES_BYTES / (2 * Math.max(1, crowd.waiting))),
      crowd,
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
      url: `esdb://${reachable(host)}:${port}?tls=false`,
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

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Where a server that listens on this address is reached from the same machine. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : bracketed(host);
};
