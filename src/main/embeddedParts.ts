import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embeddedPostgres/server.ts";
import { startEventStoreThread } from "../eventstore/thread/start.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/logger.ts";
import { startWorkerThread } from "../platform/workerThread.ts";
import { announceEventStore } from "./eventStoreAddress.ts";
import type { Stops } from "./stops.ts";

/** Time limit for stopping PostgreSQL, which gets three increasingly forceful signals. */
const POSTGRES_STOP_MS = 25_000;

/** An embedded PostgreSQL that is starting. */
export type StartingPostgres = Promise<EmbeddedPostgres>;

/** Starts the PostgreSQL of the data folder. Returns its connection string. */
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

/** Starts the embedded event log over a database. Returns its connection string. */
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
      // Ends the process like any uncaught error. Acknowledged events are on disk; the next start resumes from there.
      logger.error({ err: error }, "the event log has failed; the service stops");
      throw error;
    },
  });
  stops.add("embedded event log", server.stop);
  const withdraw = await announceEventStore(config.dataDir, server.url);
  stops.add("event log address file", withdraw);
  return server.url;
};
