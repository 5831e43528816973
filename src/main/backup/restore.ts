import path from "node:path";
import { countEvents, dropSchema } from "../../eventstore/schema.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Config } from "../../platform/config.ts";
import { type Database, openDatabase } from "../../platform/database/database.ts";
import { migrate } from "../../platform/database/migrate.ts";
import { migrations } from "../../platform/database/migrations/index.ts";
import { waitForDatabase } from "../../platform/database/waitForDatabase.ts";
import { connectEventLog } from "../../platform/eventLog/client.ts";
import { compareLogs, copyLog, isCopied } from "../../platform/eventLog/copyLog.ts";
import { openRawLog, type RawLog } from "../../platform/eventLog/rawLog.ts";
import type { Logger } from "../../platform/logger.ts";
import { findMasterKey } from "../../platform/masterKey.ts";
import { sleep } from "../../platform/sleep.ts";
import { dropReadModels } from "../../projections/kernel/dropReadModels.ts";
import { auditTree } from "../../stores/audit/tree.ts";
import { startEventStore, startPostgres } from "../embeddedParts.ts";
import { rebuildReadModels } from "../readModels.ts";
import { createStops, type Stops } from "../stops.ts";
import { clearMark, readMarks, setMark, writeMarksFile } from "../storeMarks.ts";
import { masterKeyCheck } from "./backup.ts";
import { blobsOfBackup } from "./blobPack.ts";
import { eventsOfBackup } from "./eventLines.ts";
import { BackupError, type Manifest, readManifest } from "./manifest.ts";
import { checkParts } from "./parts.ts";
import { createPositionMap } from "./positionMap.ts";
import { checkEventLog, openBlobs } from "./serviceData.ts";
import {
  dropTables,
  filledTables,
  isInUse,
  lockForRestore,
  presentTables,
  restoreRows,
} from "./tableRows.ts";

/** The target refuses the restore; the message names the remedy. Nothing was written. */
export class RestoreRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RestoreRefusedError";
  }
}

/** The result of a restore. */
export type Restored = {
  readonly events: number;
  readonly rows: number;
  readonly blobs: number;
  /** Read models that differ from the log; normally empty. */
  readonly differing: readonly string[];
};

type Options = {
  readonly folder: string;
  /** Whether to discard the existing data. */
  readonly replace: boolean;
  readonly onProgress: (message: string) => void;
};

/** The longest time that a stopping service keeps its leases. */
const LEASE_LIMIT_MS = 5_000;
/** Concurrent appends. The embedded log keeps their order; an external server may not. */
const EMBEDDED_CONCURRENCY = 64;

/** Verifies all parts of a backup. Returns its manifest. Rejects with BackupError. */
export const checkBackup = async (
  folder: string,
  onProgress: (message: string) => void,
): Promise<Manifest> => {
  const manifest = await readManifest(folder);
  await checkParts(folder, manifest, (checked) =>
    onProgress(`checked ${checked} of ${manifest.parts.length} parts`),
  );
  return manifest;
};

/**
 * Restores a backup for a service with these settings. Verifies the whole backup before the first write; the target
 * must be empty unless `replace` is set. An interrupted restore can be repeated with the same backup; until it finishes,
 * no service starts on the target. Rejects with BackupError, RestoreRefusedError or SettingError.
 */
export const restoreBackup = async (
  config: Config,
  logger: Logger,
  options: Options,
): Promise<Restored> => {
  const { onProgress } = options;
  const folder = path.resolve(options.folder);
  const manifest = await readManifest(folder);
  await checkMasterKey(config, manifest);
  checkRelease(manifest);
  await checkBackup(folder, onProgress);
  const stops = createStops(logger);
  try {
    const blobs = await openBlobs(config, logger);
    const databaseUrl = config.databaseUrl ?? (await startPostgres(config, logger, stops));
    if (config.databaseUrl !== null) {
      await waitForDatabase(config.databaseUrl, { patienceMs: LEASE_LIMIT_MS, logger });
    }
    if (config.eventstoreUrl !== null) await checkEventLog(config.eventstoreUrl);
    const database = openDatabase(databaseUrl);
    stops.add("database", database.close);
    const unlock = await lockForRestore(database.pool);
    if (unlock === null) {
      throw new RestoreRefusedError(
        "Another restore is running on this database. Wait until it has finished.",
      );
    }
    stops.add("lock", unlock);
    const isAgain = await checkTarget(config, manifest, options.replace, { database, blobs });
    const isEmbedded = config.databaseUrl === null;
    await setMark(database.pool, { name: "restoring", backup: manifest.id, folder });
    if (isEmbedded) await writeMarksFile(config.dataDir, database.pool);
    await emptyTarget(config, database);
    await migrate(database.patient, manifest.migrations);

    const eventstoreUrl =
      config.eventstoreUrl ?? (await startEventStore(config, databaseUrl, logger, stops));
    const raw = openRawLog(eventstoreUrl);
    stops.add("event log", raw.close);
    const moved = await restoreLog({ folder, manifest }, raw, config, onProgress);
    const count = await restoreBlobs(
      { folder, manifest },
      blobs,
      options.replace || isAgain,
      onProgress,
    );
    onProgress("state");
    await restoreRows(database.pool, { folder, manifest }, moved.positionOf);
    await migrate(database.patient);
    await remarkRestore(database, manifest.id);
    const differing = await refold(database, eventstoreUrl, logger, stops, onProgress);
    await clearMark(database.pool, "restoring");
    if (isEmbedded) await writeMarksFile(config.dataDir, database.pool);
    const rows = Object.values(manifest.rows).reduce((sum, each) => sum + each, 0);
    return { events: moved.events, rows, blobs: count, differing };
  } finally {
    await stops.all();
  }
};

const checkMasterKey = async (config: Config, manifest: Manifest): Promise<void> => {
  const masterKey = await findMasterKey(config);
  if (masterKey && masterKeyCheck(masterKey, manifest.id) === manifest.master_key_check) return;
  throw new RestoreRefusedError(
    masterKey === null
      ? `This backup needs the MASTER_KEY that it was made with, which it does not contain. Set MASTER_KEY, or copy the master.key into ${config.dataDir}.`
      : "MASTER_KEY does not match this backup: encrypted values could not be read and nobody could sign in. Set it to the key that the backup was made with.",
  );
};

const checkRelease = (manifest: Manifest): void => {
  const unknown = manifest.migrations.find((name) => !(name in migrations));
  if (unknown === undefined) return;
  throw new BackupError(
    `This backup was made by a newer release (${manifest.release}) with the migration ${unknown}. Restore it with that release.`,
  );
};

/** Rejects with RestoreRefusedError if the target is in use or not empty. Returns whether this backup's restore was already begun. */
const checkTarget = async (
  config: Config,
  manifest: Manifest,
  replace: boolean,
  { database, blobs }: { database: Database; blobs: BlobStore },
): Promise<boolean> => {
  const { pool } = database;
  for (const deadline = performance.now() + LEASE_LIMIT_MS; await isInUse(pool); await sleep(250)) {
    if (performance.now() > deadline) {
      throw new RestoreRefusedError("A service is running on this database. Stop it first.");
    }
  }
  const marks = await readMarks(pool);
  const begun = marks.find((mark) => mark.name === "restoring");
  if (begun?.backup === manifest.id) return true;
  if (config.eventstoreUrl !== null && (await hasEvents(config.eventstoreUrl))) {
    throw new RestoreRefusedError(
      "The event log at EVENTSTORE_URL is not empty and cannot be emptied by this command. Choose an empty one.",
    );
  }
  if (replace) return false;
  if (begun) {
    throw new RestoreRefusedError(
      "A restore of another backup was begun here and has not finished. Use --replace to discard it.",
    );
  }
  const events = config.eventstoreUrl === null ? await countEvents(pool) : 0;
  const tables = await filledTables(pool);
  const hasBlobs = !(await blobs.list()[Symbol.asyncIterator]().next()).done;
  const existing = [
    ...(events > 0 ? [`${events} events`] : []),
    ...(tables.length > 0 ? [`rows in ${tables.length} tables`] : []),
    ...(hasBlobs ? ["blobs"] : []),
  ];
  if (existing.length === 0) return false;
  throw new RestoreRefusedError(
    `The target is not empty: it has ${existing.join(", ")}. Use --replace to discard them.`,
  );
};

const hasEvents = async (eventstoreUrl: string): Promise<boolean> => {
  const raw = openRawLog(eventstoreUrl);
  try {
    for await (const event of raw.readAll({ after: null })) if (isCopied(event)) return true;
    return false;
  } finally {
    await raw.close();
  }
};

/** Drops all data except the mark. An external log keeps the events of an interrupted restore. */
const emptyTarget = async (config: Config, { pool, patient }: Database): Promise<void> => {
  if (config.eventstoreUrl === null) await dropSchema(pool);
  const tables = await presentTables(pool);
  if (tables.includes("parked_events")) await dropReadModels(patient);
  await dropTables(pool);
};

const restoreLog = async (
  { folder, manifest }: { folder: string; manifest: Manifest },
  raw: RawLog,
  config: Config,
  onProgress: (message: string) => void,
) => {
  const source = () => eventsOfBackup(folder, manifest);
  const total = manifest.log.events;
  await copyLog(source, raw, {
    atOnce: config.eventstoreUrl === null ? EMBEDDED_CONCURRENCY : 1,
    onProgress: (events) => onProgress(`${events} of ${total} events`),
  });
  const positions = createPositionMap();
  onProgress("comparing the log with the backup");
  const events = await compareLogs(source, raw, { onPair: positions.note });
  return { events, positionOf: positions.of };
};

const restoreBlobs = async (
  backup: { folder: string; manifest: Manifest },
  blobs: BlobStore,
  mayHaveOthers: boolean,
  onProgress: (message: string) => void,
): Promise<number> => {
  const keys = new Set<string>();
  for await (const { key, blob } of blobsOfBackup(backup.folder, backup.manifest)) {
    await blobs.put(key, blob);
    keys.add(key);
    if (keys.size % 100 === 0) onProgress(`${keys.size} of ${backup.manifest.blobs.count} blobs`);
  }
  if (mayHaveOthers) {
    for await (const key of blobs.list()) if (!keys.has(key)) await blobs.delete(key);
  }
  return keys.size;
};

/** Makes the next checkpoint of the log's tree say that the log was restored: see `Remark`. */
const remarkRestore = async ({ db }: Database, backup: string): Promise<void> => {
  const tree = auditTree(db);
  const { size, root, checkpoint } = await tree.load();
  if (checkpoint === null) return;
  await tree.addRemark({ kind: "restored", size, root, at: new Date().toISOString(), backup });
};

const refold = async (
  database: Database,
  eventstoreUrl: string,
  logger: Logger,
  stops: Stops,
  onProgress: (message: string) => void,
): Promise<readonly string[]> => {
  // Parked events of the backup belong to read models that no longer exist.
  await dropReadModels(database.patient);
  const log = connectEventLog(eventstoreUrl);
  stops.add("event log client", log.close);
  return rebuildReadModels({ database, log, logger, onProgress });
};
