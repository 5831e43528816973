import { setMaxListeners } from "node:events";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import pg from "pg";
import { createReader } from "./reader.ts";
import { addServices } from "./service.ts";
import { connectionConfig } from "./session.ts";
import { createTail } from "./tail.ts";
import { createWriter, type EngineLogger } from "./writer.ts";

/** Above the append limit, so that an append that is too large gets its own error; EventStoreDB's own bound. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/** A page that is not there by then does not come: the database hangs. */
const READ_TIMEOUT_MS = 30_000;

const silent: EngineLogger = { info: () => {}, warn: () => {} };

/** A running event log. `url` is a connection string for any EventStoreDB client. */
export type EmbeddedEventStore = { readonly url: string; stop(): Promise<void> };

/**
 * Starts an event log that speaks EventStoreDB's protocol on loopback and keeps its events in Postgres,
 * schema `eventstore`. Rejects when the database cannot be reached, or when another process still
 * writes this log after `lockTimeoutMs` (10 s by default). Afterwards it lives through the database
 * going away: calls fail with UNAVAILABLE until it is back.
 */
export const startEmbeddedEventStore = async (options: {
  databaseUrl: string;
  logger?: EngineLogger;
  /** 0, any free port, by default. */
  port?: number;
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
  });
  // An idle connection that breaks says so here; whoever asks next gets a new one, or the error.
  pool.on("error", () => {});
  const stopping = new AbortController();
  // Every open call listens: their number is no leak.
  setMaxListeners(0, stopping.signal);
  const server = new Server({ "grpc.max_receive_message_length": MAX_MESSAGE_BYTES });
  addServices(server, {
    reader: createReader(pool),
    writer,
    tail,
    logger,
    stopping: stopping.signal,
  });

  try {
    await writer.start();
    const port = await listen(server, options.port ?? 0);
    return {
      url: `esdb://127.0.0.1:${port}?tls=false`,
      stop: async () => {
        await writer.stop();
        stopping.abort();
        await shutDown(server);
        await pool.end();
      },
    };
  } catch (error) {
    server.forceShutdown();
    await writer.stop();
    await pool.end();
    throw error;
  }
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });

/** Lets open calls end, for half a second. */
const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, 500);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
