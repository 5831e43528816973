import path from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../eventstore/server.ts";
import { createLogger, type Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/settingError.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { forceExitAfterTimeout } from "../exitTimeout.ts";

export type EventStoreOptions = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
};

/**
 * `runledger eventstore`: runs the embedded event log over an embedded PostgreSQL in a folder, for any EventStoreDB
 * client. Writes the connection string to `output` and warnings to stderr. Returns the exit code once `options.signal`
 * is aborted.
 */
export const runEventStore = async (
  options: EventStoreOptions,
  output: NodeJS.WritableStream,
): Promise<number> => {
  const logger = createLogger({ level: "warn", destination: process.stderr });
  const dataDir = path.resolve(options.dataDir);
  const postgres = await startPostgres(dataDir, logger);
  try {
    const log = await startLog(options, postgres.url, logger);
    try {
      output.write(`${log.url}\n`);
      await aborted(options.signal);
    } finally {
      await log.stop();
    }
  } finally {
    await postgres.stop();
  }
  process.exitCode = exitCodes.passed;
  forceExitAfterTimeout();
  return exitCodes.passed;
};

const startPostgres = async (dataDir: string, logger: Logger): Promise<EmbeddedPostgres> => {
  try {
    return await startEmbeddedPostgres({ dataDir, logger });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The message of a SettingError would name DATA_DIR instead of --data.
    const why = error instanceof SettingError ? String(error.cause) : message;
    const owner = /is in use by process (\d+)/.exec(message)?.[1];
    throw new CommandError(
      owner === undefined
        ? `The folder ${dataDir} cannot be used: ${why}`
        : `The folder ${dataDir} is in use by process ${owner}. Stop that process, or choose another folder with --data.`,
      exitCodes.unavailable,
    );
  }
};

const startLog = async (
  { host, port }: EventStoreOptions,
  databaseUrl: string,
  logger: Logger,
): ReturnType<typeof startEmbeddedEventStore> => {
  try {
    return await startEmbeddedEventStore({ databaseUrl, host, port, logger });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      message.includes("EADDRINUSE")
        ? `Port ${port} of ${host} is in use. Stop the process that listens there, or choose another port with --port.`
        : `The event log cannot be started on ${host}:${port}: ${message}`,
      exitCodes.unavailable,
    );
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
