import { startEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { RunningService } from "../../main.ts";
import { type Config, ConfigError, loadConfig } from "../../platform/config.ts";
import { createLogger, type Logger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/settingError.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { forceExitAfterTimeout } from "../exitTimeout.ts";

/**
 * `runledger server`: runs the service until SIGINT or SIGTERM, then stops it cleanly. A second signal exits at once,
 * which loses no data but makes the next start slower. Returns the exit code.
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
  if (config.roles.includes("executor")) void logBrowser(config, logger);

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

/** Starts the embedded PostgreSQL while this process loads the rest of the program, then the service. */
const start = async (config: Config, logger: Logger): Promise<RunningService> => {
  const { dataDir, databaseUrl } = config;
  const postgres = databaseUrl === null ? startEmbeddedPostgres({ dataDir, logger }) : undefined;
  // `startService` awaits it; until then a failure must not be an unhandled rejection.
  postgres?.catch(() => undefined);
  const { startService } = await import("../../main.ts");
  return startService(config, logger, postgres);
};

/** Logs the browser that tests will use, or that there is none. Never rejects. */
const logBrowser = async (config: Config, logger: Logger): Promise<void> => {
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
    logger.warn(`No browser found: tests cannot run. ${message}`);
  }
};

/** The settings of the environment. Throws CommandError (usage) that lists every invalid setting. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>) => {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message, exitCodes.usage);
    throw error;
  }
};
