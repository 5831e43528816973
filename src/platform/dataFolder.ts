import { mkdir } from "node:fs/promises";
import { SettingError } from "./settingError.ts";

/** Creates the data folder if missing. Rejects with SettingError. */
export const makeDataFolder = async (dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: 0o711 }).catch((error: unknown) => {
    throw unusableFolder(dataDir, error);
  });
};

/** The error for a data folder that cannot be written. */
export const unusableFolder = (dataDir: string, error: unknown): SettingError => {
  const { code, message } = error as NodeJS.ErrnoException;
  return new SettingError(
    `DATA_DIR ${dataDir} cannot be used: ${REASONS[code ?? ""] ?? message}. Set it to a folder that the account of the service can write.`,
    error,
  );
};

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "it is a file",
  ENOTDIR: "a parent folder is a file",
  ENOENT: "it cannot be created",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "it is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
};
