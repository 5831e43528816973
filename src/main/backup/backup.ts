import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { isDataFolderInUse, lockDataFolder } from "../../embeddedPostgres/dataFolderLock.ts";
import { readHead } from "../../eventstore/schema.ts";
import type { Config } from "../../platform/config.ts";
import { hmac } from "../../platform/crypto.ts";
import { isCopied } from "../../platform/eventLog/copyLog.ts";
import { openRawLog, type RawLog } from "../../platform/eventLog/rawLog.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/settingError.ts";
import { createStops } from "../stops.ts";
import { version } from "../version.ts";
import { writeBlobs } from "./blobPack.ts";
import { encodeEventLine } from "./eventLines.ts";
import { BackupError, encodeManifest, MANIFEST, type Part } from "./manifest.ts";
import { createPartWriter, writeFileDurably } from "./parts.ts";
import { openServiceData } from "./serviceData.ts";
import {
  appliedMigrations,
  presentTables,
  type Snapshot,
  takeSnapshot,
  writeRows,
} from "./tableRows.ts";

/** The content of a finished backup. */
export type MadeBackup = {
  readonly folder: string;
  /** The last log position in the backup, in decimal; null if the log is empty. */
  readonly position: string | null;
  readonly events: number;
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
};

/** An HMAC that identifies the master key of a backup without revealing it. */
export const masterKeyCheck = (masterKey: Buffer, backupId: string): string =>
  hmac(masterKey, "backup", backupId);

/**
 * Writes a backup into a new folder, with or without a running service. Rows and events are consistent with one
 * snapshot; blobs are read after it. The folder gets its final name once it is complete. Rejects with BackupError or
 * SettingError.
 */
export const makeBackup = async (
  config: Config,
  logger: Logger,
  options: { readonly folder: string; readonly onProgress: (message: string) => void },
): Promise<MadeBackup> => {
  const { onProgress } = options;
  const folder = path.resolve(options.folder);
  const stops = createStops(logger);
  const begun = await beginFolder(folder);
  try {
    const { database, eventstoreUrl, blobs, masterKey } = await openServiceData(
      config,
      logger,
      stops,
    );
    const raw = openRawLog(eventstoreUrl);
    stops.add("event log", raw.close);
    const state = await writeState(database.pool, begun.partial, onProgress, async (client) =>
      config.eventstoreUrl === null ? atPosition(await readHead(client)) : raw.head(),
    );
    const { position, migrations, rows } = state;
    const parts: Part[] = [...state.parts];
    const log = await writeLog(raw, begun.partial, position, onProgress);
    parts.push(...log.parts);
    const packs = createPartWriter(begun.partial, { kind: "blobs" });
    const kept = await writeBlobs(blobs, packs, (count) => onProgress(`${count} blobs`));
    parts.push(...(await packs.end()));
    const id = newId();
    const manifest = encodeManifest({
      id,
      made_at: new Date().toISOString(),
      release: version,
      log: { position: position === null ? null : String(position), events: log.events },
      migrations,
      rows,
      blobs: kept,
      master_key_check: masterKeyCheck(masterKey, id),
      parts,
    });
    await writeFileDurably(path.join(begun.partial, MANIFEST), manifest);
    await begun.finish();
    return {
      folder,
      position: position === null ? null : String(position),
      events: log.events,
      rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
      blobs: kept.count,
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    };
  } catch (error) {
    await begun.giveUp();
    throw error;
  } finally {
    await stops.all();
  }
};

/**
 * Writes the state tables of one snapshot. `headOf` reads the head of the log: an embedded log is in the same snapshot;
 * the head of an external log is read after it was taken.
 */
const writeState = async (
  pool: Parameters<typeof takeSnapshot>[0],
  folder: string,
  onProgress: (message: string) => void,
  headOf: (client: Snapshot["client"]) => Promise<bigint | null>,
) => {
  const parts: Part[] = [];
  const rows: Record<string, number> = {};
  const { client, end } = await takeSnapshot(pool);
  try {
    const position = await headOf(client);
    const migrations = await appliedMigrations(client);
    for (const table of await presentTables(client)) {
      onProgress(`table ${table}`);
      const writer = createPartWriter(folder, { kind: "state", table });
      rows[table] = await writeRows(client, table, writer);
      parts.push(...(await writer.end()));
    }
    return { position, migrations, rows, parts };
  } finally {
    await end();
  }
};

const atPosition = (head: number): bigint | null => (head === 0 ? null : BigInt(head));

const writeLog = async (
  raw: RawLog,
  folder: string,
  position: bigint | null,
  onProgress: (message: string) => void,
): Promise<{ parts: readonly Part[]; events: number }> => {
  const writer = createPartWriter(folder, { kind: "log" });
  let events = 0;
  if (position !== null) {
    for await (const event of raw.readAll({ after: null, upTo: position })) {
      if (!isCopied(event)) continue;
      await writer.add(encodeEventLine(event));
      events += 1;
      if (events % 1_000 === 0) onProgress(`${events} events`);
    }
  }
  return { parts: await writer.end(), events };
};

/** Creates and locks `<folder>.partial`; removes the files of an interrupted backup. */
const beginFolder = async (folder: string) => {
  const taken = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new BackupError(`${folder} cannot be created: ${error.message}`);
  });
  if (taken !== null) throw new BackupError(`${folder} already exists. Choose another folder.`);
  const partial = `${folder}.partial`;
  try {
    await mkdir(partial, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if (await isDataFolderInUse(partial)) {
      throw new BackupError(`Another process is making a backup in ${partial}.`);
    }
    await lockFolder(partial);
    for (const name of (await readdir(partial)).filter((one) => one !== LOCK)) {
      if (!PARTIAL_FILES.test(name)) {
        throw new BackupError(
          `${partial} contains an unrelated file: ${name}. Choose another folder.`,
        );
      }
      await rm(path.join(partial, name));
    }
    return {
      partial,
      finish: async () => {
        // Rename before unlocking: another backup could otherwise empty the folder.
        await rename(partial, folder).catch((error: NodeJS.ErrnoException) => {
          throw new BackupError(`${folder} cannot be created: ${error.message}`);
        });
        await rm(path.join(folder, LOCK), { force: true });
      },
      giveUp: () => rm(partial, { recursive: true, force: true }),
    };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `${folder} cannot be created: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

/** Locks the folder like a data folder. Rejects with BackupError if another backup has locked it. */
const lockFolder = async (partial: string): Promise<void> => {
  try {
    await lockDataFolder(partial);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw error.cause ?? new BackupError(`Another process is making a backup in ${partial}.`);
  }
};

/** The lock file of `lockDataFolder`. */
const LOCK = "lock.json";
/** The files of an interrupted backup. */
const PARTIAL_FILES = /^((log|state|blobs)-.*\.(jsonl\.gz|pack)|manifest\.json)$/;
