import { unavailablePart } from "../platform/availability.ts";
import { openBlobStore } from "../platform/blobs/openBlobStore.ts";
import type { BlobStore } from "../platform/blobs/port.ts";
import { inProcessBus } from "../platform/bus/inProcess.ts";
import type { Bus } from "../platform/bus/port.ts";
import type { Config } from "../platform/config.ts";
import { addressOf } from "../platform/credentials.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import { waitForDatabase } from "../platform/database/waitForDatabase.ts";
import { connectEventLog } from "../platform/eventLog/client.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import { openRawLog, type RawLog } from "../platform/eventLog/rawLog.ts";
import { eventLogWithTimeouts } from "../platform/eventLog/timeouts.ts";
import type { Logger } from "../platform/logger.ts";
import { loadMasterKey } from "../platform/masterKey.ts";
import { createPartHealth, type PartHealth } from "../platform/partHealth.ts";
import { settingError } from "../platform/settingFailure.ts";
import { type StartingPostgres, startEventStore, startPostgres } from "./embeddedParts.ts";
import { waitForBlobStore, waitForEventLog } from "./readiness.ts";
import type { Stops } from "./stops.ts";
import { refuseMarkedDatabase, writeMarksFile } from "./storeMarks.ts";

/** How long the start waits for an external part. */
const START_PATIENCE_MS = 30_000;
/** Keeps an append, with the client's grace period of 1 s, below the 5 s limit of a response. */
const APPEND_TIMEOUT_MS = 2_500;

/** The external parts of the service: embedded by default, or those that the settings name. */
export type Platform = {
  readonly masterKey: Buffer;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly log: EventLog;
  /** The log byte for byte, for its tree and its proofs. */
  readonly raw: RawLog;
  /** The connection string of the external or embedded event log. */
  readonly eventstoreUrl: string;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** The availability of the parts, as observed by the calls to them. */
  readonly parts: PartHealth;
};

/**
 * Starts or connects all parts in dependency order. Waits up to `patienceMs` for an external part, because containers
 * start in any order. Adds every part to `stops`, also if it rejects.
 */
export const startPlatform = async (
  config: Config,
  logger: Logger,
  stops: Stops,
  options: { readonly patienceMs?: number; readonly postgres?: StartingPostgres | undefined } = {},
): Promise<Platform> => {
  const { patienceMs = START_PATIENCE_MS, postgres } = options;
  const parts = createPartHealth({ logger, partOf: unavailablePart });
  const databaseUrl = config.databaseUrl ?? (await startPostgres(config, logger, stops, postgres));
  const masterKey = await loadMasterKey(config);
  const blobs = await openBlobStore(config.blobStore, { parts });
  await waitForBlobStore(blobs, config.blobStore, { patienceMs, logger });
  const database = openDatabase(databaseUrl, { parts });
  stops.add("database", database.close);
  const waitFor = { patienceMs, logger };
  if (config.databaseUrl !== null) await waitForDatabase(config.databaseUrl, waitFor);
  // The process that set a mark may have been killed before it wrote the file.
  if (config.databaseUrl === null) await writeMarksFile(config.dataDir, database.pool);
  await refuseMarkedDatabase(database.pool, { isLogEmbedded: config.eventstoreUrl === null });
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
  const log = openLog(config.eventstoreUrl, () => eventLogWithTimeouts({ connect, parts }));
  stops.add("event log client", log.close);
  if (config.eventstoreUrl !== null) await waitForEventLog(log, config.eventstoreUrl, waitFor);
  const raw = openRawLog(eventstoreUrl);
  stops.add("raw event log client", raw.close);
  return { masterKey, database, databaseUrl, log, raw, eventstoreUrl, bus, blobs, parts };
};

/** Opens the client of the log. Throws SettingError if a certificate of EVENTSTORE_URL cannot be read. */
const openLog = (eventstoreUrl: string | null, open: () => EventLog): EventLog => {
  try {
    return open();
  } catch (cause) {
    if (eventstoreUrl === null) throw cause;
    throw settingError("EVENTSTORE_URL", addressOf(eventstoreUrl), cause);
  }
};

/**
 * Like Promise.all, but settles only once every promise has: a part that starts after another has failed must be in
 * `stops`, or it keeps the process alive.
 */
const allStarted = async <Parts extends readonly unknown[]>(
  starting: readonly [...Parts],
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> => {
  await Promise.allSettled(starting);
  return Promise.all(starting);
};
