import { findEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import { openBlobStore } from "../../platform/blobs/openBlobStore.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Config } from "../../platform/config.ts";
import { addressOf } from "../../platform/credentials.ts";
import { type Database, openDatabase } from "../../platform/database/database.ts";
import { waitForDatabase } from "../../platform/database/waitForDatabase.ts";
import { inspectEventLog } from "../../platform/eventLog/inspectEventLog.ts";
import type { Logger } from "../../platform/logger.ts";
import { findMasterKey } from "../../platform/masterKey.ts";
import { SettingError } from "../../platform/partHealth.ts";
import { settingError } from "../../platform/settingFailure.ts";
import { isMasterKeyOf } from "../../stores/identity/signingKeys.ts";
import { findEventStore } from "../eventStoreAddress.ts";
import { startPlatform } from "../platform.ts";
import { waitForBlobStore } from "../readiness.ts";
import type { Stops } from "../stops.ts";
import { refuseMarkedDatabase } from "../storeMarks.ts";
import { hasTables } from "./tableRows.ts";

/** Everything that a service keeps, as operators back it up and move it. */
export type ServiceData = {
  readonly database: Database;
  readonly eventstoreUrl: string;
  readonly blobs: BlobStore;
  readonly masterKey: Buffer;
  /** Whether other processes may write to them meanwhile. */
  readonly isShared: boolean;
};

/**
 * Reaches what a service keeps: beside the service that runs on it, or, when none runs on the data folder, with the
 * embedded parts started for as long as this takes. What it started is in `stops`. Rejects with SettingError.
 */
export const openServiceData = async (
  config: Config,
  logger: Logger,
  stops: Stops,
): Promise<ServiceData> => {
  const stores = await reach(config, logger, stops);
  // A backup that was made with another key could be restored with that other one alone, and then nothing would open.
  if ((await isMasterKeyOf(stores.database.db, stores.masterKey)) === false) {
    throw new SettingError(
      "MASTER_KEY is not the one that this database was made with. Set it to that one.",
      null,
    );
  }
  return stores;
};

const reach = async (config: Config, logger: Logger, stops: Stops): Promise<ServiceData> => {
  const embedded = config.databaseUrl === null ? await findEmbeddedPostgres(config.dataDir) : null;
  if (embedded === "none") {
    throw new SettingError(
      `There is no service's data in DATA_DIR ${config.dataDir}, and no DATABASE_URL.`,
      embedded,
    );
  }
  const masterKey = await findMasterKey(config);
  if (masterKey === null) {
    throw new SettingError(
      `Set MASTER_KEY to the one that the service has: there is no master.key in DATA_DIR ${config.dataDir}.`,
      null,
    );
  }
  const running = embedded === "stopped" ? null : (embedded?.url ?? config.databaseUrl);
  const eventstoreUrl = config.eventstoreUrl ?? (await findEventStore(config.dataDir));
  if (running === null || (eventstoreUrl === null && embedded === null)) {
    const platform = await startPlatform({ ...config, natsUrl: null }, logger, stops);
    const isShared = config.databaseUrl !== null && config.eventstoreUrl !== null;
    return { ...platform, isShared };
  }
  if (eventstoreUrl === null) {
    throw new SettingError(
      `A process uses DATA_DIR ${config.dataDir}, and its event log cannot be found. Try again, or stop that process.`,
      null,
    );
  }
  const blobs = await openBlobs(config, logger);
  if (config.databaseUrl !== null) {
    await waitForDatabase(config.databaseUrl, { patienceMs: PARTS_MS, logger });
  }
  if (config.eventstoreUrl !== null) await reachEventLog(config.eventstoreUrl);
  const database = openDatabase(running, { max: 4 });
  stops.add("database", database.close);
  await database.ping();
  if (config.databaseUrl !== null && !(await hasTables(database.pool))) {
    throw new SettingError(
      `No service has used the database of DATABASE_URL (${addressOf(config.databaseUrl)}): there are no tables of one. Name the one that it uses.`,
      null,
    );
  }
  await refuseMarkedDatabase(database.pool, { isLogEmbedded: config.eventstoreUrl === null });
  return { database, eventstoreUrl, blobs, masterKey, isShared: true };
};

/** An operator waits for a part that does not answer for so long. */
const PARTS_MS = 5_000;

/** Sees whether the event log of a setting answers. Rejects with SettingError, which names the setting. */
export const reachEventLog = async (eventstoreUrl: string): Promise<void> => {
  try {
    await inspectEventLog(eventstoreUrl, PARTS_MS);
  } catch (error) {
    throw settingError("EVENTSTORE_URL", addressOf(eventstoreUrl), error);
  }
};

/** Opens the store of blobs, and sees whether it can be written. Rejects with SettingError. */
export const openBlobs = async (config: Config, logger: Logger): Promise<BlobStore> => {
  const blobs = await openBlobStore(config.blobStore);
  await waitForBlobStore(blobs, config.blobStore, { patienceMs: PARTS_MS, logger });
  return blobs;
};
