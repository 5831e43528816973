import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embeddedPostgres/server.ts";
import { startEventStoreThread } from "../eventstore/startThread.ts";
import { awayPart } from "../platform/availability.ts";
import { openBlobStore } from "../platform/blobs/openBlobStore.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import { inProcessBus } from "../platform/bus/inProcess.ts";
import type { Bus } from "../platform/bus/port.ts";
import type { Config } from "../platform/config.ts";
import { addressOf } from "../platform/credentials.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import { waitForDatabase } from "../platform/database/waitForDatabase.ts";
import { boundedEventLog } from "../platform/eventLog/bounded.ts";
import { connectEventLog } from "../platform/eventLog/client.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import type { Logger } from "../platform/logger.ts";
import { loadMasterKey } from "../platform/masterKey.ts";
import { createParts, type Parts } from "../platform/parts.ts";
import { pause } from "../platform/pause.ts";
import { settingError } from "../platform/settingTrouble.ts";
import { startThread } from "../platform/threads.ts";
import { waitForBlobStore, waitForEventLog } from "./awaitParts.ts";
import { announceEventStore } from "./eventStoreAddress.ts";
import { refuseMarked, showMarks } from "./storeMarks.ts";

/** A part that has not stopped by then is left behind: a stop comes to its end whatever hangs. */
const STOP_PATIENCE_MS = 10_000;
/** The database has longer: it is asked three times, ever harder. */
const POSTGRES_STOP_MS = 25_000;

/** How long the start waits for a part that a setting names. */
const START_PATIENCE_MS = 30_000;
/** With the log client's own grace of a second this stays below the 5 s in which a caller hears of it. */
const APPEND_TIMEOUT_MS = 2_500;

/** Things to stop, newest first: what was started last depends on what was started before. */
export type Stops = {
  add(name: string, stop: () => Promise<unknown> | undefined, patienceMs?: number): void;
  /** Stops everything, whatever fails or hangs on the way. */
  all(): Promise<void>;
};

export const createStops = (logger: Logger): Stops => {
  const stack: {
    readonly name: string;
    readonly stop: () => Promise<unknown> | undefined;
    readonly patienceMs: number;
  }[] = [];
  const end = async ({ stop, patienceMs }: (typeof stack)[number]): Promise<void> => {
    const ended = new AbortController();
    const late = pause(patienceMs, ended.signal).then(() => {
      if (!ended.signal.aborted) throw new Error(`It has not stopped within ${patienceMs} ms`);
    });
    try {
      await Promise.race([stop(), late]);
    } finally {
      ended.abort();
    }
  };
  const endAll = async (): Promise<void> => {
    for (let next = stack.pop(); next; next = stack.pop()) {
      try {
        await end(next);
      } catch (error) {
        logger.warn({ err: error, part: next.name }, "did not stop cleanly");
      }
    }
  };
  let stopping: Promise<void> | null = null;
  return {
    add: (name, stop, patienceMs = STOP_PATIENCE_MS) => {
      stack.push({ name, stop, patienceMs });
    },
    all: () => {
      stopping ??= endAll().finally(() => {
        stopping = null;
      });
      return stopping;
    },
  };
};

/** A PostgreSQL on its way up. */
export type StartingPostgres = Promise<EmbeddedPostgres>;

/** The edges of the service: embedded by default, the real component where a setting names one. */
export type Platform = {
  readonly masterKey: Buffer;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly log: EventLog;
  /** Where the log is: of the server that a setting names, or of the embedded one. */
  readonly eventstoreUrl: string;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** Which parts are there, as the calls to them find out. */
  readonly parts: Parts;
};

/**
 * Starts or connects every part, in the order in which they depend on each other. A part of its own (a setting names
 * it) that is away is waited for, up to `patienceMs`: parts that are started together come up in any order.
 * What it started is in `stops`, also when it rejects.
 */
export const startPlatform = async (
  config: Config,
  logger: Logger,
  stops: Stops,
  options: { readonly patienceMs?: number; readonly postgres?: StartingPostgres | undefined } = {},
): Promise<Platform> => {
  const { patienceMs = START_PATIENCE_MS, postgres } = options;
  const parts = createParts({ logger, partOf: awayPart });
  const databaseUrl = config.databaseUrl ?? (await startPostgres(config, logger, stops, postgres));
  const masterKey = await loadMasterKey(config);
  const blobs = await openBlobStore(config.blobStore, { parts });
  await waitForBlobStore(blobs, config.blobStore, { patienceMs, logger });
  const database = openDatabase(databaseUrl, { parts });
  stops.add("database", database.close);
  const waitFor = { patienceMs, logger };
  if (config.databaseUrl !== null) await waitForDatabase(config.databaseUrl, waitFor);
  // Whoever marked it may have been killed before the folder said so too.
  if (config.databaseUrl === null) await showMarks(config.dataDir, database.pool);
  await refuseMarked(database.pool, { isLogEmbedded: config.eventstoreUrl === null });
  const openBus = async (): Promise<Bus> => {
    const url = config.natsUrl;
    const bus = url
      ? await import("../platform/bus/nats.ts").then(({ natsBus }) =>
          natsBus({ url, logger, parts, patienceMs }),
        )
      : inProcessBus();
    stops.add("bus", bus.close);
    return bus;
  };
  const [eventstoreUrl, bus] = await allStarted([
    config.eventstoreUrl ?? startEventStore(config, databaseUrl, logger, stops),
    openBus(),
    migrate(database.patient),
  ]);
  const connect = () =>
    connectEventLog(eventstoreUrl, { logger, appendTimeoutMs: APPEND_TIMEOUT_MS });
  const log = openLog(config.eventstoreUrl, () => boundedEventLog({ connect, parts }));
  stops.add("event log client", log.close);
  if (config.eventstoreUrl !== null) await waitForEventLog(log, config.eventstoreUrl, waitFor);
  return { masterKey, database, databaseUrl, log, eventstoreUrl, bus, blobs, parts };
};

/** Opens the log's client, which reads the certificates that its connection string names. */
const openLog = (eventstoreUrl: string | null, open: () => EventLog): EventLog => {
  try {
    return open();
  } catch (cause) {
    if (eventstoreUrl === null) throw cause;
    throw settingError("EVENTSTORE_URL", addressOf(eventstoreUrl), cause);
  }
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
    startThread,
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
