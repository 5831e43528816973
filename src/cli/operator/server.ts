import { startService } from "../../main.ts";
import { ConfigError, loadConfig } from "../../platform/config.ts";
import { createLogger } from "../../platform/logger.ts";
import { SettingError } from "../../platform/parts.ts";
import { BrowserNotFoundError, findBrowser } from "../../workers/executor/index.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";

/** How long the process may take to end by itself once everything has stopped. */
const LINGER_MS = 1_000;

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

  const service = await startService(config, logger).catch((error: unknown) => {
    if (!(error instanceof SettingError)) throw error;
    throw new CommandError(error.message, exitCodes.unavailable);
  });
  if (config.roles.includes("executor")) {
    findBrowser({
      configuredPath: config.browserPaths.chromium ?? undefined,
      allowInstall: false,
    }).then(
      ({ executablePath, version }) => logger.info({ executablePath, version }, "browser found"),
      (error: unknown) => {
        const message = error instanceof BrowserNotFoundError ? error.message : String(error);
        logger.warn(`Tests cannot be run until there is a browser. ${message}`);
      },
    );
  }

  const signal = await asked;
  logger.info({ signal }, "stopping");
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => process.exit(exitCodes.interrupted));
  }
  await service.stop();
  logger.info("stopped");
  // A connection that a part could not let go of must not keep the process alive.
  setTimeout(() => process.exit(exitCodes.passed), LINGER_MS).unref();
  return exitCodes.passed;
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
