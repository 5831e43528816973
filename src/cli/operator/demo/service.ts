import { join, resolve } from "node:path";
import { pino } from "pino";
import { type RunningService, startService } from "../../../main.ts";
import { createLogger } from "../../../platform/logger.ts";
import {
  BrowserNotFoundError,
  type FoundBrowser,
  findBrowser,
} from "../../../workers/executor/index.ts";
import { CommandError, exitCodes } from "../../exitCodes.ts";
import { readConfig } from "../server.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type DemoService = {
  readonly url: string;
  readonly dataDir: string;
  readonly browser: FoundBrowser;
  stop(): Promise<void>;
};

/** Limit of concurrent demos, each with its own data folder. */
const MAX_CONCURRENT_DEMOS = 8;

/**
 * Starts the service in this process, with the data folder `.data/demo` or DATA_DIR. Honours the settings of the
 * environment, such as NATS_URL or EVENTSTORE_URL. Throws CommandError.
 */
export const startDemoService = async (
  environment: Environment,
  onProgress: (message: string) => void,
): Promise<DemoService> => {
  const browser = await findBrowser({
    configuredPath: environment.BROWSER_PATH_CHROMIUM?.trim(),
    allowInstall: true,
    onProgress,
  }).catch((error: unknown) => {
    if (!(error instanceof BrowserNotFoundError)) throw error;
    throw new CommandError(error.message, exitCodes.unavailable);
  });

  const wanted = resolve(environment.DATA_DIR?.trim() || join(".data", "demo"));
  for (let number = 1; ; number += 1) {
    const dataDir = number === 1 ? wanted : `${wanted}-${number}`;
    try {
      const { url, stop } = await start(environment, dataDir, browser);
      return { url, dataDir, browser, stop };
    } catch (error) {
      // Another demo uses this folder: try the next one.
      const isTaken = error instanceof Error && / is in use by process /.test(error.message);
      if (isTaken && number < MAX_CONCURRENT_DEMOS) continue;
      if (error instanceof CommandError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new CommandError(`The service did not start: ${message}`, exitCodes.unavailable);
    }
  }
};

const start = async (
  environment: Environment,
  dataDir: string,
  browser: FoundBrowser,
): Promise<{ url: string; stop: RunningService["stop"] }> => {
  const config = readConfig({
    ...environment,
    PORT: environment.PORT?.trim() || "0",
    LOG_LEVEL: environment.LOG_LEVEL?.trim() || "error",
    DATA_DIR: dataDir,
    BROWSER_PATH_CHROMIUM: browser.executablePath,
  });
  // Standard output is reserved for the demo.
  const destination = pino.destination({ dest: 2, sync: true });
  const service = await startService(config, createLogger({ level: config.logLevel, destination }));
  if (!service.url) {
    await service.stop();
    throw new CommandError("The demo needs the role api. Unset ROLES.", exitCodes.usage);
  }
  return { url: service.url, stop: service.stop };
};
