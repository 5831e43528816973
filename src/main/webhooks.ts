import { webhookCommands } from "../commands/billing/webhooks/index.ts";
import { createLru } from "../commands/kernel/lru.ts";
import { logFailure } from "../platform/availability.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/logger.ts";
import { billingProjection } from "../projections/billing/projection.ts";
import type { Positions } from "../projections/kernel/positions.ts";
import { webhookBodies } from "../stores/billing/webhookBodies.ts";
import type { Core } from "./core/index.ts";
import type { Platform } from "./platform.ts";
import type { Stops } from "./stops.ts";

/** How long an event waits for the read models before its plan change counts as unknown, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Cache size: organisations by subscription. */
const CACHED_OWNERS = 10_000;

/** The commands for payment provider webhooks. Logs a warning if provider B is selected without its secrets. */
export const createWebhooks = (
  config: Config,
  platform: Platform,
  core: Core,
  positions: Positions,
  logger: Logger,
  stops: Stops,
) => {
  const { billing } = core.queries;
  const bodies = webhookBodies({
    db: platform.database.db,
    masterKey: platform.masterKey,
    onFailure: (error) => logFailure(logger, error, {}, "could not record settled provider events"),
  });
  stops.add("webhook bodies", bodies.flush);
  // A subscription never changes its organisation.
  const owners = createLru<string, string>(CACHED_OWNERS);
  const { secretKey, webhookSecret } = config.providerB;
  const isB = config.paymentProvider === "provider-b";
  if (isB && (secretKey === null || webhookSecret === null)) {
    logger.warn(
      {},
      "PAYMENT_PROVIDER is provider-b, but PROVIDER_B_SECRET_KEY and PROVIDER_B_WEBHOOK_SECRET are not both set: its events are ignored",
    );
  }
  return webhookCommands({
    log: platform.log,
    loop: core.loop,
    clock: core.clock,
    logger,
    bodies,
    prices: config.providerA.prices,
    secrets: {
      "provider-a": config.providerA.webhookSecret,
      "provider-b": isB && secretKey !== null ? webhookSecret : null,
    },
    find: {
      organizationOfChange: async (id) => (await billing.findChange(id))?.organizationId ?? null,
      organizationOfSubscription: async (provider, subscriptionId) => {
        const key = `${provider} ${subscriptionId}`;
        const owner =
          owners.get(key) ?? (await billing.organizationOfSubscription(provider, subscriptionId));
        if (owner !== null) owners.set(key, owner);
        return owner;
      },
      caughtUp: async () => {
        const head = await platform.log.head();
        if (head !== null) await positions.waitFor([billingProjection.name], head, PATIENCE_MS);
      },
    },
  });
};
