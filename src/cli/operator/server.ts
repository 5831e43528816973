import { startEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { RunningService } from "../../main.ts";
import { type Config, ConfigError, loadConfig } from "../../platform/config.ts";
import { createLogger, type Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/partHealth.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { forceExitAfterTimeout } from "../exitTimeout.ts";

/**
 * Runs the service until it is asked to end (Ctrl-C, SIGTERM): then it takes no more requests, gives back what
 * was running and closes every part. A second signal ends it at once: nothing is lost then either, it only
 * takes the next start a little longer. Answers the exit code.
 */
export const runServer = async (
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> => {
  const config = readConfig(environment);
  const logger = createLogger({ level: config.logLevel });
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, resolve);
  });

  const service = await start(config, logger).catch((error: unknown) => {
    if (!(error instanceof SettingError)) throw error;
    throw new CommandError(error.message, exitCodes.unavailable);
  });
  if (config.roles.includes("executor")) void sayWhichBrowser(config, logger);

  const signal = await asked;
  logger.info({ signal }, "stopping");
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => process.exit(exitCodes.interrupted));
  }
  await service.stop();
  logger.info("stopped");
  forceExitAfterTimeout();
  return exitCodes.passed;
};

/** Starts the service. PostgreSQL, which is a process of its own, comes up while this one loads the rest of the program. */
const start = async (config: Config, logger: Logger): Promise<RunningService> => {
  const { dataDir, databaseUrl } = config;
  const postgres = databaseUrl === null ? startEmbeddedPostgres({ dataDir, logger }) : undefined;
  // It is waited for below; that it failed before must not end the process without a word.
  postgres?.catch(() => undefined);
  const { startService } = await import("../../main.ts");
  return startService(config, logger, postgres);
};

/** Tests cannot be run without a browser: better said now than with the first test. Never rejects. */
const sayWhichBrowser = async (config: Config, logger: Logger): Promise<void> => {
  const { BrowserNotFoundError, findBrowser, probeAside } = await import(
    "../../workers/executor/index.ts"
  );
  try {
    const { executablePath, version } = await findBrowser({
      configuredPath: config.browserPaths.chromium ?? undefined,
      allowInstall: false,
      probe: probeAside(),
    });
    logger.info({ executablePath, version }, "browser found");
  } catch (error) {
    const message = error instanceof BrowserNotFoundError ? error.message : String(error);
    logger.warn(`Tests cannot be run until there is a browser. ${message}`);
  }
};

/** The settings of the environment. Throws CommandError with every wrong one. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>) => {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message, exitCodes.usage);
    throw error;
  }
};
