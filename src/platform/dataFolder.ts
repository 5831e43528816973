import { mkdir } from "node:fs/promises";
import { SettingError } from "./settingError.ts";

/** Makes the data folder where it is not there. Rejects with SettingError, which names DATA_DIR. */
export const makeDataFolder = async (dataDir: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: 0o711 }).catch((error: unknown) => {
    throw unusableFolder(dataDir, error);
  });
};

/** What ends a start where the data folder does not take a file: it is no folder, of another account, or on a full disk. */
export const unusableFolder = (dataDir: string, error: unknown): SettingError => {
  const { code, message } = error as NodeJS.ErrnoException;
  return new SettingError(
    `DATA_DIR ${dataDir} cannot be used: ${TROUBLES[code ?? ""] ?? message}. Set it to a folder that the account of the service may write.`,
    error,
  );
};

const TROUBLES: Readonly<Record<string, string>> = {
  EEXIST: "it is a file",
  ENOTDIR: "it lies under a file",
  ENOENT: "it cannot be made there",
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  EROFS: "it is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
};
