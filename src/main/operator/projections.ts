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

/** So often it is looked whether somebody still does what was asked for. */
const LOOK_MS = 1_000;

/** What operators do with read models, from a process beside the service or without one. */
export type OperatorAccess = {
  readonly operations: ProjectionOperations;
  /** For lags; null when this process cannot reach the log: the service that runs holds it. */
  readonly log: EventLog | null;
  /** Sees to it that somebody does what is asked for: the service that runs, else this process. False when neither can. */
  haveItDone(): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Reaches the read models: those of the settings' database, else those of the data folder, beside the
 * service that runs on it or, when none runs, with the embedded parts started for as long as this takes.
 * Rejects when there is no database.
 */
export const openProjectionOperations = async (
  config: Config,
  logger: Logger,
): Promise<OperatorAccess> => {
  const stops = createStops(logger);
  try {
    const { db, patient, log } = await reach(config, logger, stops);
    const operations = projectionOperations({ db, projections });
    let isBuilder = false;
    const buildHere = async (from: EventLog): Promise<void> => {
      isBuilder = true;
      // Nothing can be done without the log: better said than waited for.
      await from.head();
      await prepareProjections(patient, projections);
      const deps = { log: from, db: patient, projections, logger, holder: newId() };
      stops.add("builder", startMaintenance(deps).stop);
    };
    return {
      operations,
      log,
      haveItDone: async () => {
        const isLed = await operations.isLed();
        if (log === null) return isLed;
        if (!isLed) {
          await buildHere(log);
          return true;
        }
        // Who leads may be dead already, with its lease still there, or die before it is done.
        const looking = setInterval(async () => {
          const led = await operations.isLed().catch(() => true);
          if (!led && !isBuilder) {
            await buildHere(log).catch(() => {
              isBuilder = false;
            });
          }
        }, LOOK_MS);
        stops.add("looking for who builds", async () => clearInterval(looking));
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
 * Reaches the database of the settings, or of the data folder, and the log where this process can; what it had to
 * start for that is in `stops`. Rejects when there is no database.
 */
export const reach = async (
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
    // With a database of its own and no log in sight: the log is embedded in the service, if that runs.
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
