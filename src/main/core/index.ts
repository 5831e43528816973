import { billingCommands } from "../../commands/billing/index.ts";
import type { PaymentSettings } from "../../commands/billing/paymentProviders.ts";
import { createApiKeyChecks } from "../../commands/identity/checks.ts";
import { type CommandLoop, createCommandLoop } from "../../commands/kernel/commandLoop.ts";
import { organizationCommands } from "../../commands/organizations/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { createComparer } from "../../platform/pictures/comparer.ts";
import type { Platform } from "../platform.ts";
import { createCommands } from "./commands.ts";
import { createIdentity, type IdentitySettings } from "./identity.ts";
import { createQueries } from "./queries.ts";
import { createStores } from "./stores.ts";

export type Core = Awaited<ReturnType<typeof createCore>>;

/**
 * The commands and queries of every context, over the platform. `observe` decorates the command loop with metrics
 * and traces.
 */
export const createCore = async (
  platform: Platform,
  clock: Clock,
  identitySettings: IdentitySettings,
  payment: PaymentSettings,
  observe: (loop: CommandLoop) => CommandLoop = (loop) => loop,
) => {
  const loop = observe(createCommandLoop({ log: platform.log, clock }));
  const queries = createQueries(platform.database.db);
  const stores = createStores(platform);
  const comparer = createComparer();
  const keyChecks = createApiKeyChecks({ apiKeys: stores.apiKeys, clock });

  const billing = billingCommands({ loop, clock, payment });
  const organizations = organizationCommands({
    loop,
    clock,
    apiKeys: stores.apiKeys,
    keyChecks,
  });
  const identity = await createIdentity(platform, identitySettings, {
    loop,
    clock,
    createOrganization: organizations.createOrganization,
    startPlan: billing.startPlan,
  });
  const { webBase, apiBase } = identitySettings;
  const commands = createCommands({
    ...{ platform, loop, clock, stores, queries, comparer },
    ...{ identity, organizations, billing, webBase },
  });

  return {
    clock,
    loop,
    queries,
    commands,
    comparer,
    keyChecks,
    webBase,
    apiBase,
    accessTokens: identity.accessTokens,
    sessions: identity.sessions,
    outbox: identity.outbox,
    accounts: identity.accounts,
    keyRing: identity.keyRing,
    refreshTokens: identity.refreshTokens,
    persons: identity.persons,
    isAdmin: identity.isAdmin,
    inviteAddresses: stores.inviteAddresses,
    environmentSecrets: stores.environmentSecrets,
    scheduleSlots: stores.scheduleSlots,
    scheduleRecipients: stores.scheduleRecipients,
    notificationAddresses: stores.notificationAddresses,
    idempotencyKeys: stores.idempotencyKeys,
    fingerprints: stores.fingerprints,
  };
};
