import { findEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { Config } from "../../platform/config.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { connectEventLog } from "../../platform/eventLog/client.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { startMaintenance } from "../../projections/kernel/maintenance.ts";
import {
  type ProjectionOperations,
  projectionOperations,
} from "../../projections/kernel/operations.ts";
import { prepareProjections } from "../../projections/kernel/schemas.ts";
import { projections } from "../core/projections.ts";
import { findEventStore } from "../eventStoreAddress.ts";
import { startPlatform } from "../platform.ts";
import { createStops } from "../stops.ts";

/** Interval of the check that a process still leads, in milliseconds. */
const CHECK_MS = 1_000;

/** Access of operator commands to the read models, with or without a running service. */
export type OperatorAccess = {
  readonly operations: ProjectionOperations;
  /** The event log; null if only the running service can reach it. */
  readonly log: EventLog | null;
  /** Ensures that a process does the requested work: the running service, else this one. Resolves to false if neither can. */
  ensureWorker(): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Opens the read models of DATABASE_URL or of the data folder. If no service runs on the data folder, starts the
 * embedded parts until `close`. Rejects if there is no database.
 */
export const openProjectionOperations = async (
  config: Config,
  logger: Logger,
): Promise<OperatorAccess> => {
  const stops = createStops(logger);
  try {
    const { db, patient, log } = await connectToData(config, logger, stops);
    const operations = projectionOperations({ db, projections });
    let isBuilder = false;
    const buildHere = async (from: EventLog): Promise<void> => {
      isBuilder = true;
      // Fail now rather than wait for an unreachable log.
      await from.head();
      await prepareProjections(patient, projections);
      const deps = { log: from, db: patient, projections, logger, holder: newId() };
      stops.add("builder", startMaintenance(deps).stop);
    };
    return {
      operations,
      log,
      ensureWorker: async () => {
        const isLed = await operations.isLed();
        if (log === null) return isLed;
        if (!isLed) {
          await buildHere(log);
          return true;
        }
        // The leader may have died, or die before the work is done.
        const timer = setInterval(async () => {
          const led = await operations.isLed().catch(() => true);
          if (!led && !isBuilder) {
            await buildHere(log).catch(() => {
              isBuilder = false;
            });
          }
        }, CHECK_MS);
        stops.add("leader check", async () => clearInterval(timer));
        return true;
      },
      close: stops.all,
    };
  } catch (error) {
    await stops.all();
    throw error;
  }
};

/**
 * Connects to the database of the settings or of the data folder, and to the log if this process can reach it. Adds
 * every part that it starts to `stops`. Rejects if there is no database.
 */
export const connectToData = async (
  config: Config,
  logger: Logger,
  stops: ReturnType<typeof createStops>,
) => {
  const embedded = config.databaseUrl === null ? await findEmbeddedPostgres(config.dataDir) : null;
  if (embedded === "none") {
    throw new Error(`There is no database in DATA_DIR ${config.dataDir}, and no DATABASE_URL.`);
  }
  const running = embedded === "stopped" ? null : (embedded?.url ?? config.databaseUrl);
  const logUrl = config.eventstoreUrl ?? (await findEventStore(config.dataDir));
  if (running !== null) {
    const { db, patient, ping, close } = openDatabase(running, { max: 4 });
    stops.add("database", close);
    await ping();
    const isServed = await projectionOperations({ db, projections }).isLed();
    // With DATABASE_URL and without EVENTSTORE_URL, the log is embedded in the running service.
    if (logUrl !== null || isServed || embedded !== null) {
      return { db, patient, log: logUrl === null ? null : connect(logUrl, stops) };
    }
  }
  const platform = await startPlatform({ ...config, natsUrl: null }, logger, stops);
  const { db, patient } = platform.database;
  await prepareProjections(patient, projections);
  return { db, patient, log: platform.log };
};

const connect = (url: string, stops: ReturnType<typeof createStops>): EventLog => {
  const log = connectEventLog(url);
  stops.add("event log client", log.close);
  return log;
};
