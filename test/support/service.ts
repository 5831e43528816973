import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type RunningService, startService } from "../../src/main.ts";
import { type Config, loadConfig } from "../../src/platform/config.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import { leftSecrets } from "./leftSecrets.ts";
import { cloneServiceDatabase } from "./postgres.ts";

export type TestService = RunningService & { readonly url: string };

/**
 * Starts the whole service in this process, like `npm start`, on a database and a data folder of its
 * own. `environment` adds settings; `roles` omits parts: without `executor` runs stay queued.
 * `logger` receives its log lines.
 */
export const startTestService = async (
  environment: Readonly<Record<string, string>> = {},
  roles?: Config["roles"],
  logger?: Logger,
): Promise<TestService> => {
  const database = await cloneServiceDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), "runledger-service-"));
  const config = loadConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    RATE_LIMIT: "off",
    LOG_LEVEL: "error",
    ...environment,
  });
  const service = await startService(
    roles ? { ...config, roles } : config,
    logger ?? createLogger({ level: config.logLevel }),
  );
  if (!service.url) throw new Error("the service does not listen");
  return {
    ...service,
    url: service.url,
    stop: async () => {
      await service.stop();
      const left = await leftSecrets(database.url);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`Secrets were left: ${left.join(", ")}`);
    },
  };
};
