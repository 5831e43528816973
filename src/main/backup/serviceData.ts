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
import { SettingError } from "../../platform/settingError.ts";
import { settingError } from "../../platform/settingFailure.ts";
import { isMasterKeyOf } from "../../stores/identity/signingKeys.ts";
import { findEventStore } from "../eventStoreAddress.ts";
import { startPlatform } from "../platform.ts";
import { waitForBlobStore } from "../readiness.ts";
import type { Stops } from "../stops.ts";
import { refuseMarkedDatabase } from "../storeMarks.ts";
import { hasTables } from "./tableRows.ts";

/** The stored data of a service, for backup and migration. */
export type ServiceData = {
  readonly database: Database;
  readonly eventstoreUrl: string;
  readonly blobs: BlobStore;
  readonly masterKey: Buffer;
  /** Whether other processes may write at the same time. */
  readonly isShared: boolean;
};

/**
 * Opens the data of a service. If no service runs on the data folder, starts the embedded parts. Adds every part to
 * `stops`. Rejects with SettingError.
 */
export const openServiceData = async (
  config: Config,
  logger: Logger,
  stops: Stops,
): Promise<ServiceData> => {
  const data = await connect(config, logger, stops);
  // A backup made with another key would be useless: nothing in the database could be decrypted with it.
  if ((await isMasterKeyOf(data.database.db, data.masterKey)) === false) {
    throw new SettingError(
      "MASTER_KEY does not match this database. Set it to the key that the service uses.",
      null,
    );
  }
  return data;
};

const connect = async (config: Config, logger: Logger, stops: Stops): Promise<ServiceData> => {
  const embedded = config.databaseUrl === null ? await findEmbeddedPostgres(config.dataDir) : null;
  if (embedded === "none") {
    throw new SettingError(
      `DATA_DIR ${config.dataDir} contains no service data, and DATABASE_URL is not set.`,
      embedded,
    );
  }
  const masterKey = await findMasterKey(config);
  if (masterKey === null) {
    throw new SettingError(
      `DATA_DIR ${config.dataDir} has no master.key. Set MASTER_KEY to the key that the service uses.`,
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
      `A process uses DATA_DIR ${config.dataDir}, but its event log cannot be found. Try again, or stop that process.`,
      null,
    );
  }
  const blobs = await openBlobs(config, logger);
  if (config.databaseUrl !== null) {
    await waitForDatabase(config.databaseUrl, { patienceMs: PART_LIMIT_MS, logger });
  }
  if (config.eventstoreUrl !== null) await checkEventLog(config.eventstoreUrl);
  const database = openDatabase(running, { max: 4 });
  stops.add("database", database.close);
  await database.ping();
  if (config.databaseUrl !== null && !(await hasTables(database.pool))) {
    throw new SettingError(
      `The database of DATABASE_URL (${addressOf(config.databaseUrl)}) has no tables of a service. Set it to the database that the service uses.`,
      null,
    );
  }
  await refuseMarkedDatabase(database.pool, { isLogEmbedded: config.eventstoreUrl === null });
  return { database, eventstoreUrl, blobs, masterKey, isShared: true };
};

/** How long operator commands wait for a part. */
const PART_LIMIT_MS = 5_000;

/** Checks that the event log answers. Rejects with SettingError. */
export const checkEventLog = async (eventstoreUrl: string): Promise<void> => {
  try {
    await inspectEventLog(eventstoreUrl, PART_LIMIT_MS);
  } catch (error) {
    throw settingError("EVENTSTORE_URL", addressOf(eventstoreUrl), error);
  }
};

/** Opens the blob store and checks that it is writable. Rejects with SettingError. */
export const openBlobs = async (config: Config, logger: Logger): Promise<BlobStore> => {
  const blobs = await openBlobStore(config.blobStore);
  await waitForBlobStore(blobs, config.blobStore, { patienceMs: PART_LIMIT_MS, logger });
  return blobs;
};
