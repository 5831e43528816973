import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embeddedPostgres/server.ts";
import { startEventStoreThread } from "../eventstore/thread/start.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/logger.ts";
import { startWorkerThread } from "../platform/workerThread.ts";
import { announceEventStore } from "./eventStoreAddress.ts";
import type { Stops } from "./stops.ts";

/** The database has longer: it is asked three times, ever harder. */
const POSTGRES_STOP_MS = 25_000;

/** A PostgreSQL on its way up. */
export type StartingPostgres = Promise<EmbeddedPostgres>;

/** Starts the PostgreSQL of the data folder; answers its connection string. */
export const startPostgres = async (
  { dataDir }: Config,
  logger: Logger,
  stops: Stops,
  starting: StartingPostgres = startEmbeddedPostgres({ dataDir, logger }),
): Promise<string> => {
  const postgres = await starting;
  stops.add("embedded PostgreSQL", postgres.stop, POSTGRES_STOP_MS);
  return postgres.url;
};

/** Starts the embedded event log over a database; answers its connection string. */
export const startEventStore = async (
  config: Config,
  databaseUrl: string,
  logger: Logger,
  stops: Stops,
): Promise<string> => {
  const server = await startEventStoreThread({
    startThread: startWorkerThread,
    databaseUrl,
    logger,
    onFailure: (error) => {
      // As a fault of this thread would: what is acknowledged is on disk, and the next start goes on from there.
      logger.error({ err: error }, "the event log has failed; the service ends");
      throw error;
    },
  });
  stops.add("embedded event log", server.stop);
  const forget = await announceEventStore(config.dataDir, server.url);
  stops.add("address of the event log", forget);
  return server.url;
};
