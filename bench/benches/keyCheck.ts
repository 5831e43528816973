import { createAuthenticator } from "../../src/api/auth/authenticator.ts";
import { createApiKeyChecks } from "../../src/commands/identity/checks.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { migrate } from "../../src/platform/database/migrate.ts";
import { newId } from "../../src/platform/ids.ts";
import { apiKeysState, newApiKey } from "../../src/stores/organizations/apiKeyHashes.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { createDatabase } from "../parts/postgres.ts";

const BENCH = "key-check";
const CHECKS = 50_000;
const WARM_UPS = 3;

/** CPU time of an API key check, including the periodic database lookups. */
export const run: RunBench = async (context) => {
  const database = openDatabase(await createDatabase(context));
  context.defer(database.close);
  await migrate(database.patient);
  const apiKeys = apiKeysState(database.db);
  const { key } = newApiKey();
  const organizationId = newId();
  await apiKeys.store({ keyId: newId(), organizationId, name: "ci", key, expiresAt: null });
  const unexpectedCall = async (): Promise<never> => {
    throw new Error("An API key check must not look up persons");
  };
  const { authenticate } = createAuthenticator({
    keyChecks: createApiKeyChecks({ apiKeys, clock: systemClock }),
    identity: { sessionOfAccessToken: unexpectedCall, openSessionOfRefreshToken: unexpectedCall },
    memberships: { organizationsOf: unexpectedCall, find: unexpectedCall, exists: unexpectedCall },
    isAdmin: unexpectedCall,
  });
  const request = { authorization: `Bearer ${key}`, cookies: {} };
  const once = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < CHECKS; n += 1) {
      const principal = await authenticate("apiKey", request);
      if (principal?.organizationId !== organizationId) throw new Error("The key was not accepted");
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CHECKS;
  };
  for (let n = 0; n < WARM_UPS; n += 1) await once();
  const samples: number[] = [];
  for (let n = 0; n < context.pairs(15); n += 1) samples.push(await once());
  return [
    plainRow(
      {
        bench: BENCH,
        what: "CPU of a check of an API key, warm",
        unit: "µs",
        goal: { of: "value", atMost: 50 },
        note: `${CHECKS} checks in sequence, user and system time of the process; the key is looked up again every 250 ms`,
      },
      samples,
    ),
  ];
};
