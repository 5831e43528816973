import { makeBackup } from "../../main/backup/backup.ts";
import { BackupError } from "../../main/backup/manifest.ts";
import { checkBackup, RestoreRefusedError, restoreBackup } from "../../main/backup/restore.ts";
import { unavailablePart } from "../../platform/availability.ts";
import { diagnoseConnection } from "../../platform/connectionFailure.ts";
import { LogsDifferError } from "../../platform/eventLog/copyLog.ts";
import { AppendRefusedError } from "../../platform/eventLog/rawLog.ts";
import { createLogger } from "../../platform/logger.ts";
import { PartUnavailableError, partTitles, SettingError } from "../../platform/partHealth.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./server.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with what, in words and an exit code: the backup, what was asked for, or what it is to work on. */
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
  // What is wrong with it is said already: it is full, may not be written, does not know the key.
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

/** What names the setting: the error itself, or what it came of. */
const settingErrorIn = (error: unknown): SettingError | null => {
  if (error instanceof SettingError) return error;
  return error instanceof Error && error.cause !== undefined ? settingErrorIn(error.cause) : null;
};

const told = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw asCommandError(error);
  }
};

const quiet = () => createLogger({ level: "fatal" });

/** `runledger backup FOLDER`. Answers the exit code. */
export const backUp = async (
  environment: Environment,
  folder: string,
  terminal: Terminal,
): Promise<number> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const onProgress = terminal.progress;
  const made = await told(() => makeBackup(config, quiet(), { folder, onProgress }));
  terminal.record({ ...made });
  terminal.say(
    `${made.events} events${made.position === null ? "" : `, up to position ${made.position}`}, ${made.rows} rows and ${made.blobs} blobs: ${megabytes(made.bytes)} in ${made.folder}`,
  );
  terminal.say(
    "It holds password hashes, persons' names and addresses, and sealed values: keep it as secret as the service itself. It can be read by its owner alone.",
  );
  terminal.say("MASTER_KEY is not in it. Without it the backup is of no use: keep it elsewhere.");
  return exitCodes.passed;
};

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** `runledger restore FOLDER`. Answers the exit code: 1 when a read model is not what the log makes of it. */
export const restore = async (
  environment: Environment,
  folder: string,
  options: { readonly replace: boolean; readonly check: boolean },
  terminal: Terminal,
): Promise<number> => {
  const config = readConfig({ LOG_LEVEL: "fatal", ...environment });
  const { progress: onProgress } = terminal;
  if (options.check) {
    const { id, made_at, log, blobs, parts } = await told(() => checkBackup(folder, onProgress));
    terminal.record({ id, made_at, events: log.events, blobs: blobs.count, parts: parts.length });
    terminal.say(
      `The backup of ${made_at} is whole: ${log.events} events and ${blobs.count} blobs in ${parts.length} parts.`,
    );
    return exitCodes.passed;
  }
  const { replace } = options;
  const restored = await told(() =>
    restoreBackup(config, quiet(), { folder, replace, onProgress }),
  );
  const { events, rows, blobs, differing } = restored;
  terminal.record({ ...restored });
  terminal.say(`${events} events, ${rows} rows and ${blobs} blobs were restored.`);
  if (differing.length > 0) {
    terminal.say(`Not what the log makes of them: ${differing.join(", ")}.`);
    terminal.say("See runledger projections verify.");
    return exitCodes.failed;
  }
  terminal.say("The read models were folded from the log, and are what it makes of them.");
  return exitCodes.passed;
};
