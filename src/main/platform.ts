import { localBlobStore } from "../platform/blobs/localFolder.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import { inProcessBus } from "../platform/bus/inProcess.ts";
import { natsBus } from "../platform/bus/nats.ts";
import type { Bus } from "../platform/bus/port.ts";
import type { Config } from "../platform/config.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import { startEmbeddedEventStore } from "../platform/embedded/eventstore/server.ts";
import { startEmbeddedPostgres } from "../platform/embedded/postgres.ts";
import { connectEventLog } from "../platform/eventLog/client.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { Logger } from "../platform/logger.ts";
import { loadMasterKey } from "../platform/masterKey.ts";

/** Things to stop, newest first: what was started last depends on what was started before. */
export type Stops = {
  add(name: string, stop: () => Promise<unknown> | undefined): void;
  /** Stops everything, whatever fails on the way. */
  all(): Promise<void>;
};

export const createStops = (logger: Logger): Stops => {
  const stack: { name: string; stop: () => Promise<unknown> | undefined }[] = [];
  return {
    add: (name, stop) => {
      stack.push({ name, stop });
    },
    all: async () => {
      for (let next = stack.pop(); next; next = stack.pop()) {
        try {
          await next.stop();
        } catch (error) {
          logger.warn({ err: error, part: next.name }, "did not stop cleanly");
        }
      }
    },
  };
};

/** The edges of the service: embedded by default, the real component where a setting names one. */
export type Platform = {
  readonly masterKey: Buffer;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly log: EventLog;
  readonly bus: Bus;
  readonly blobs: BlobStore;
};

/** Starts or connects every part, in the order in which they depend on each other. What it started is in `stops`, also when it rejects. */
export const startPlatform = async (
  config: Config,
  logger: Logger,
  stops: Stops,
): Promise<Platform> => {
  const databaseUrl = config.databaseUrl ?? (await startPostgres(config, logger, stops));
  const masterKey = await loadMasterKey(config);
  const database = openDatabase(databaseUrl);
  stops.add("database", database.close);
  const openBus = async (): Promise<Bus> => {
    const bus = config.natsUrl ? await natsBus({ url: config.natsUrl, logger }) : inProcessBus();
    stops.add("bus", bus.close);
    return bus;
  };
  const [eventstoreUrl, bus] = await allStarted([
    config.eventstoreUrl ?? startEventStore(databaseUrl, logger, stops),
    openBus(),
    migrate(database.db),
  ]);
  const log = connectEventLog(eventstoreUrl, { logger });
  stops.add("event log client", log.close);
  return { masterKey, database, databaseUrl, log, bus, blobs: localBlobStore(config.blobFolder) };
};

/**
 * Waits until each has started or failed, then answers them all or rejects with the first failure: one
 * that came up after another's failure must be there to be stopped, or it keeps the process alive.
 */
const allStarted = async <Parts extends readonly unknown[]>(
  starting: readonly [...Parts],
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> => {
  await Promise.allSettled(starting);
  return Promise.all(starting);
};

const startPostgres = async (config: Config, logger: Logger, stops: Stops): Promise<string> => {
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    logger,
  });
  stops.add("embedded PostgreSQL", postgres.stop);
  return postgres.url;
};

const startEventStore = async (
  databaseUrl: string,
  logger: Logger,
  stops: Stops,
): Promise<string> => {
  const server = await startEmbeddedEventStore({ databaseUrl, logger });
  stops.add("embedded event log", server.stop);
  return server.url;
};
