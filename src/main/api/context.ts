import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import type { Config } from "../../platform/config.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { Core } from "../core/index.ts";
import type { Platform } from "../platform.ts";
import type { Stops } from "../stops.ts";
import type { Telemetry } from "../telemetry/index.ts";

/** The parts of the service that the HTTP API is built from. */
export type ApiContext = {
  readonly config: Config;
  readonly platform: Platform;
  readonly core: Core;
  readonly webhooks: WebhookCommands;
  readonly positions: Positions;
  readonly logger: Logger;
  readonly stops: Stops;
  readonly telemetry: Telemetry;
};
