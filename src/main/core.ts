import { billingCommands } from "../commands/billing.ts";
import { catalogueCommands } from "../commands/catalogue.ts";
import { identityCommands } from "../commands/identity.ts";
import { createApiKeyChecks, createSessionChecks } from "../commands/identityChecks.ts";
import { createCommandLoop } from "../commands/kernel/commandLoop.ts";
import { organizationCommands } from "../commands/organizations.ts";
import { runCommands } from "../commands/runs.ts";
import { usageCommands } from "../commands/usage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { createAccessTokens } from "../platform/state/accessTokens.ts";
import { apiKeysState } from "../platform/state/apiKeyHashes.ts";
import { idempotencyKeys } from "../platform/state/idempotencyKeys.ts";
import { createPasswords } from "../platform/state/passwords.ts";
import { personsState } from "../platform/state/persons.ts";
import { refreshTokensState } from "../platform/state/refreshTokens.ts";
import { signInRefusalsState } from "../platform/state/signInRefusals.ts";
import { loadSigningKeys } from "../platform/state/signingKeys.ts";
import { billingProjection, billingQueries } from "../projections/billing.ts";
import { billingUse } from "../projections/billingUse.ts";
import { catalogueProjection } from "../projections/catalogue.ts";
import { catalogueQueries } from "../projections/catalogueQueries.ts";
import { executionQueries } from "../projections/executionQueries.ts";
import { executionsProjection } from "../projections/executions.ts";
import type { Projection } from "../projections/kernel/projection.ts";
import { organizationQueries, organizationsProjection } from "../projections/organizations.ts";
import { runEventsProjection } from "../projections/runEvents.ts";
import { runQueries } from "../projections/runQueries.ts";
import { runsProjection } from "../projections/runs.ts";
import { usageProjection, usageQueries } from "../projections/usage.ts";
import type { Platform } from "./platform.ts";

/** Every read model of the service. */
export const projections: readonly Projection[] = [
  organizationsProjection,
  catalogueProjection,
  runsProjection,
  executionsProjection,
  runEventsProjection,
  usageProjection,
  billingProjection,
];

export type Core = Awaited<ReturnType<typeof createCore>>;

/** The commands and queries of every context, over the platform. `issuer` names the service in its tokens. */
export const createCore = async (
  platform: Platform,
  clock: Clock,
  issuer: string,
  payment: Config["paymentProvider"],
) => {
  const { log, masterKey } = platform;
  const { db } = platform.database;
  const loop = createCommandLoop({ log, clock });

  const catalogue = catalogueQueries(db);
  const queries = {
    catalogue,
    organizations: organizationQueries(db),
    runs: runQueries(db),
    executions: executionQueries(db, {
      stepsOfVersion: async (testId, version) =>
        (await catalogue.stepsOfVersion(testId, version)) ?? [],
    }),
    usage: usageQueries(db),
    billing: { ...billingQueries(db), ...billingUse(db) },
  };

  const keys = await loadSigningKeys({ db, masterKey, at: clock().toISOString() });
  const accessTokens = await createAccessTokens({ keys, issuer, clock });
  const refreshTokens = refreshTokensState({ db, masterKey });
  const persons = personsState({ db, masterKey });
  const apiKeys = apiKeysState(db);
  const sessions = createSessionChecks({ refreshTokens, clock });
  const keyChecks = createApiKeyChecks({ apiKeys, clock });

  const usage = usageCommands({ loop, clock });
  const billing = billingCommands({ loop, clock, payment });
  const organizations = organizationCommands({ loop, clock, apiKeys, keyChecks });
  const identity = identityCommands({
    loop,
    clock,
    persons,
    passwords: createPasswords(),
    refreshTokens,
    signInRefusals: signInRefusalsState(db),
    accessTokens,
    sessions,
    createOrganization: organizations.createOrganization,
    startPlan: billing.startPlan,
  });
  const catalogueWrites = catalogueCommands({ loop });
  const runs = runCommands({ loop, clock, usage, pinTests: catalogue.pinTests });

  return {
    clock,
    loop,
    queries,
    commands: { billing, catalogue: catalogueWrites, identity, organizations, runs, usage },
    accessTokens,
    sessions,
    keyChecks,
    idempotencyKeys: idempotencyKeys({ db, masterKey }),
    refreshTokens,
    persons,
    jwks: keys,
  };
};
