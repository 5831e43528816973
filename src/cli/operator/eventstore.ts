import path from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import { startEmbeddedEventStore } from "../../eventstore/server.ts";
import { createLogger, type Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/partHealth.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";

/** How long the process may take to end by itself once everything has stopped. */
const LINGER_MS = 1_000;

export type EventStoreOptions = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
};

/**
 * Runs the embedded event log alone, for tests and for anyone with an EventStoreDB client: an embedded
 * PostgreSQL in the folder, and the log over it. Says the connection string, and on stderr what goes
 * wrong later. Ends when it is asked to, and answers the exit code.
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
  // A connection that a part could not let go of must not keep the process alive.
  setTimeout(() => process.exit(exitCodes.passed), LINGER_MS).unref();
  return exitCodes.passed;
};

const startPostgres = async (dataDir: string, logger: Logger): Promise<EmbeddedPostgres> => {
  try {
    return await startEmbeddedPostgres({ dataDir, logger });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Here no setting names the folder.
    const why = error instanceof SettingError ? String(error.cause) : message;
    const owner = /is in use by process (\d+)/.exec(message)?.[1];
    throw new CommandError(
      owner === undefined
        ? `The folder ${dataDir} cannot be used: ${why}`
        : `The folder ${dataDir} is in use by process ${owner}. Stop that one first, or name another folder with --data.`,
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
        ? `Port ${port} of ${host} is taken. Stop what listens there, or name another with --port.`
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
