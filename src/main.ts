import { startApi } from "./main/api/index.ts";
import { openIdProviders } from "./main/core/identity.ts";
import { type Core, createCore } from "./main/core/index.ts";
import { createPayments } from "./main/core/payments.ts";
import { projections } from "./main/core/projections.ts";
import type { StartingPostgres } from "./main/embeddedParts.ts";
import { describeUnhealthyParts } from "./main/health.ts";
import { type Platform, startPlatform } from "./main/platform.ts";
import { followProjectionPositions } from "./main/positions.ts";
import { startProjections } from "./main/readModels.ts";
import { createStops } from "./main/stops.ts";
import { startTelemetry, type Telemetry } from "./main/telemetry/index.ts";
import { scrapeSources } from "./main/telemetry/sources.ts";
import { version } from "./main/version.ts";
import { createWebhooks } from "./main/webhooks.ts";
import { startWorkers } from "./main/workers/index.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { deleteAllLeases } from "./platform/leases.ts";
import { createLogger, type Logger } from "./platform/logger.ts";
import { prepareProjections } from "./projections/kernel/schemas.ts";
import { shareSubscription } from "./workers/kernel/sharedSubscription.ts";

/** A service that has started. */
export type RunningService = {
  /** The URL that the API listens on, `http://host:port`; null if this process does not have the role `api`. */
  readonly url: string | null;
  /** The URL of the metrics listener, `http://host:port`; null if METRICS_PORT is not set. */
  readonly metricsUrl: string | null;
  /** The platform and the core, for operator commands and for tests that inspect the log. */
  readonly platform: Platform;
  readonly core: Core;
  /** Stops cleanly: refuses new requests, returns running executions to the queue and closes every part. */
  stop(): Promise<void>;
};

/** The issuer of access tokens where PUBLIC_URL is not set. */
const ISSUER = "urn:runledger";

/**
 * The composition root: starts the parts that the settings name, in dependency order, and wires them.
 * `postgres` is the PostgreSQL of the data folder if the caller has begun to start it.
 * If a part fails to start, stops the parts already started and rejects.
 */
export const startService = async (
  config: Config,
  logger: Logger = createLogger({ level: config.logLevel }),
  postgres?: StartingPostgres,
): Promise<RunningService> => {
  const stops = createStops(logger);
  try {
    const telemetry = await startTelemetry(config, logger, stops).catch(async (error) => {
      // `stops` does not know the starting PostgreSQL yet.
      await postgres?.then(({ stop }) => stop());
      throw error;
    });
    const started = await startPlatform(config, logger, stops, { postgres });
    const platform = telemetry.observePlatform(started);
    const { database } = platform;
    await prepareProjections(database.patient, projections);
    if (config.databaseUrl === null) await deleteAllLeases(database.db);
    const positions = await followProjectionPositions(
      platform.databaseUrl,
      database,
      logger,
      stops,
    );
    let url: string | null = null;
    const core = await startCore(config, platform, telemetry, logger, () => url);
    stops.add("picture comparer", core.comparer.close);
    if (config.databaseUrl === null) await core.idempotencyKeys.leaveAllOpen();
    // One subscription to the log serves all consumers in this process.
    const tailed = { ...platform, log: shareSubscription(platform.log) };
    if (config.roles.includes("projections")) {
      startProjections({ ...tailed, positions, logger, traced: telemetry.traced, stops });
    }
    const webhooks = telemetry.observeWebhooks(
      createWebhooks(config, platform, core, positions, logger, stops),
    );
    const parts = { config, core, webhooks, positions, logger, stops, telemetry };
    startWorkers({ ...parts, platform: tailed });
    if (config.roles.includes("api")) url = await startApi({ ...parts, platform });
    telemetry.running(scrapeSources(config, platform), () => describeUnhealthyParts(platform));
    logger.info({ url, roles: config.roles, version }, "runledger is ready");
    const stop = (): Promise<void> => {
      telemetry.draining();
      return stops.all();
    };
    return { url, metricsUrl: telemetry.metricsUrl, platform, core, stop };
  } catch (error) {
    await stops.all();
    throw error;
  }
};

/** Creates the core with the settings of its contexts. `listening` returns the API's URL once it listens. */
const startCore = async (
  config: Config,
  platform: Platform,
  telemetry: Telemetry,
  logger: Logger,
  listening: () => string | null,
): Promise<Core> => {
  const apiBase = () => config.publicUrl ?? listening() ?? `http://${config.host}:${config.port}`;
  const webBase = () => config.webBaseUrl ?? apiBase();
  const identitySettings = {
    issuer: config.publicUrl ?? ISSUER,
    slowsDown: config.rateLimit,
    byoKeyEnabled: config.byoKeyEnabled,
    webBase,
    apiBase,
    providers: openIdProviders(config, logger),
    adminEmails: config.adminEmails,
  };
  const payments = await createPayments(config, webBase);
  return createCore(platform, systemClock, identitySettings, payments, telemetry.observeLoop);
};
