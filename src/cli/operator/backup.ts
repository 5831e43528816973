import { makeBackup } from "../../main/backup/backup.ts";
import { BackupError } from "../../main/backup/manifest.ts";
import { checkBackup, RestoreRefusedError, restoreBackup } from "../../main/backup/restore.ts";
import { unavailablePart } from "../../platform/availability.ts";
import { diagnoseConnection } from "../../platform/connectionFailure.ts";
import { LogsDifferError } from "../../platform/eventLog/copyLog.ts";
import { AppendRefusedError } from "../../platform/eventLog/rawLog.ts";
import { createLogger } from "../../platform/logger.ts";
import { PartUnavailableError, partTitles } from "../../platform/partHealth.ts";
import { SettingError } from "../../platform/settingError.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./server.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Maps errors of backup, restore and migration to a CommandError with an exit code. Returns other errors unchanged. */
export const asCommandError = (error: unknown): unknown => {
  if (
    error instanceof BackupError ||
    error instanceof LogsDifferError ||
    error instanceof AppendRefusedError
  ) {
    return new CommandError(error.message, exitCodes.failed);
  }
  if (error instanceof RestoreRefusedError) return new CommandError(error.message, exitCodes.usage);
  const setting = settingErrorIn(error);
  if (setting !== null) return new CommandError(setting.message, exitCodes.unavailable);
  // The message already names the cause, for example a full disk.
  if (error instanceof PartUnavailableError && error.part === "blob_store") {
    return new CommandError(`${error.message}.`, exitCodes.unavailable);
  }
  const part = unavailablePart(error);
  if (part !== null) {
    const { why } = diagnoseConnection(error);
    return new CommandError(
      `${partTitles[part]} cannot be reached: ${why}.`,
      exitCodes.unavailable,
    );
  }
  const isBusy =
    error instanceof Error && /is in use by process|is writing this event log/.test(error.message);
  return isBusy ? new CommandError(error.message, exitCodes.unavailable) : error;
};

/** The SettingError in an error or its causes. */
const settingErrorIn = (error: unknown): SettingError | null => {
  if (error instanceof SettingError) return error;
  return error instanceof Error && error.cause !== undefined ? settingErrorIn(error.cause) : null;
};

const withCommandErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asCommandError(error);
  }
};

const silentLogger = () => createLogger({ level: "fatal" });

/** `runledger backup FOLDER`. Returns the exit code. */
export const backUp = async (
  environment: Environment,
  folder: string,
  terminal: Terminal,
): Promise<number> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const onProgress = terminal.progress;
  const made = await withCommandErrors(() =>
    makeBackup(config, silentLogger(), { folder, onProgress }),
  );
  terminal.record({ ...made });
  terminal.say(
    `${made.events} events${made.position === null ? "" : `, up to position ${made.position}`}, ${made.rows} rows and ${made.blobs} blobs: ${megabytes(made.bytes)} in ${made.folder}`,
  );
  terminal.say(
    "The backup contains password hashes, names, addresses and encrypted values. Protect it like the service itself. Only its owner can read it.",
  );
  terminal.say(
    "The backup does not contain MASTER_KEY. Keep the key elsewhere: the backup cannot be restored without it.",
  );
  return exitCodes.passed;
};

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** `runledger restore FOLDER`. Returns the exit code: 1 if a read model differs from the log. */
export const restore = async (
  environment: Environment,
  folder: string,
  options: { readonly replace: boolean; readonly check: boolean },
  terminal: Terminal,
): Promise<number> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const { progress: onProgress } = terminal;
  if (options.check) {
    const { id, made_at, log, blobs, parts } = await withCommandErrors(() =>
      checkBackup(folder, onProgress),
    );
    terminal.record({ id, made_at, events: log.events, blobs: blobs.count, parts: parts.length });
    terminal.say(
      `The backup of ${made_at} is whole: ${log.events} events and ${blobs.count} blobs in ${parts.length} parts.`,
    );
    return exitCodes.passed;
  }
  const { replace } = options;
  const restored = await withCommandErrors(() =>
    restoreBackup(config, silentLogger(), { folder, replace, onProgress }),
  );
  const { events, rows, blobs, differing } = restored;
  terminal.record({ ...restored });
  terminal.say(`${events} events, ${rows} rows and ${blobs} blobs were restored.`);
  if (differing.length > 0) {
    terminal.say(`These read models differ from the log: ${differing.join(", ")}.`);
    terminal.say("Run `runledger projections verify` for details.");
    return exitCodes.failed;
  }
  terminal.say("The read models were rebuilt from the log and match it.");
  return exitCodes.passed;
};
