import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import type { Config } from "../../platform/config.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { Core } from "../core/index.ts";
import type { Platform } from "../platform.ts";
import type { Stops } from "../stops.ts";
import type { Telemetry } from "../telemetry/index.ts";

/** The dependencies of the workers of one process. `holder` names the process in leases. */
export type WorkerContext = {
  readonly config: Config;
  readonly platform: Platform;
  readonly core: Core;
  readonly webhooks: WebhookCommands;
  readonly positions: Positions;
  readonly logger: Logger;
  readonly stops: Stops;
  readonly telemetry: Pick<Telemetry, "traced" | "observeTests">;
  readonly holder: string;
};

/** The dependencies that nearly every worker takes. */
export const commonDeps = ({ platform, logger, holder, telemetry }: WorkerContext) => ({
  log: platform.log,
  db: platform.database.db,
  bus: platform.bus,
  logger,
  holder,
  traced: telemetry.traced,
});
