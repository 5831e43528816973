import { randomBytes } from "node:crypto";
import { chmod, link, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { MASTER_KEY_BYTES } from "./crypto.ts";
import { makeDataFolder, unusableFolder } from "./dataFolder.ts";
import { SettingError } from "./settingError.ts";

/** Parses a master key: 32 bytes as 64 hex digits or base64. null if it is neither. */
export const parseMasterKey = (text: string): Buffer | null => {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return null;
  const key = Buffer.from(trimmed, "base64");
  return key.length === MASTER_KEY_BYTES ? key : null;
};

/**
 * Loads the master key: MASTER_KEY, or `master.key` of the data folder (mode 0600), which the first start creates.
 * Rejects with SettingError if the file is invalid or unreadable: a new key could not open existing sealed values.
 */
export const loadMasterKey = async (config: {
  masterKey: Buffer | null;
  dataDir: string;
}): Promise<Buffer> => {
  if (config.masterKey) return config.masterKey;
  const file = path.join(config.dataDir, "master.key");
  const kept = await readKey(file);
  if (kept) return kept;
  await makeDataFolder(config.dataDir);
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(aside, `${randomBytes(MASTER_KEY_BYTES).toString("hex")}\n`, {
    mode: 0o600,
    flag: "wx",
  }).catch((error: unknown) => {
    throw unusableFolder(config.dataDir, error);
  });
  try {
    // link fails if the file exists: the second of two concurrent first starts uses the first one's key.
    await link(aside, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(aside, { force: true });
  }
  const made = await readKey(file);
  if (!made) throw new Error(`${file} could not be created`);
  return made;
};

/** Returns the existing key, or null if loadMasterKey would create one. Rejects as loadMasterKey does. */
export const findMasterKey = async (config: {
  masterKey: Buffer | null;
  dataDir: string;
}): Promise<Buffer | null> => config.masterKey ?? readKey(path.join(config.dataDir, "master.key"));

const readKey = async (file: string): Promise<Buffer | null> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new SettingError(
      `${file} cannot be read (${error.code}). Give it to the account of the service, or set MASTER_KEY.`,
      error,
    );
  });
  if (text === null) return null;
  const key = parseMasterKey(text);
  if (!key) {
    throw new SettingError(
      `${file} is not a master key: restore it from a backup, or set MASTER_KEY to the key that was used.`,
      null,
    );
  }
  await restrictAccess(file);
  return key;
};

const GROUP_AND_OTHERS = 0o077;

/** Removes the permissions of group and others. Rejects with SettingError if that is not permitted. */
const restrictAccess = async (file: string): Promise<void> => {
  const { mode } = await stat(file);
  if ((mode & GROUP_AND_OTHERS) === 0) return;
  await chmod(file, 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new SettingError(
      `${file} can be read by others (mode ${(mode & 0o777).toString(8)}), and that cannot be changed (${error.code}): give it to the account of the service, with mode 600, or set MASTER_KEY.`,
      error,
    );
  });
};
