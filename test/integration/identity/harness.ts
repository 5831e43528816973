import pino from "pino";
import { type AppDeps, buildApp } from "../../../src/api/app.ts";
import { createAuthenticator } from "../../../src/api/auth/authenticator.ts";
import { createMemberships } from "../../../src/api/auth/memberships.ts";
import { oauthOperations } from "../../../src/api/routes/identity/oauth.ts";
import { passwordOperations } from "../../../src/api/routes/identity/passwords.ts";
import { personOperations } from "../../../src/api/routes/identity/person.ts";
import { sessionOperations } from "../../../src/api/routes/identity/sessions.ts";
import { settingsOperations } from "../../../src/api/routes/identity/settings.ts";
import { signInOperations } from "../../../src/api/routes/identity/signIn.ts";
import { verificationOperations } from "../../../src/api/routes/identity/verification.ts";
import { whoAmIOperations } from "../../../src/api/routes/identity/whoAmI.ts";
import { apiKeyOperations } from "../../../src/api/routes/organizations/apiKeys.ts";
import type { Services } from "../../../src/api/services.ts";
import { billingCommands } from "../../../src/commands/billing/index.ts";
import { noPayments } from "../../../src/commands/billing/paymentProviders.ts";
import { createApiKeyChecks } from "../../../src/commands/identity/checks.ts";
import type { IdentityDeps, OauthDeps } from "../../../src/commands/identity/deps.ts";
import { createCommandLoop } from "../../../src/commands/kernel/commandLoop.ts";
import { organizationCommands } from "../../../src/commands/organizations/index.ts";
import { createIdentity } from "../../../src/main/core/identity.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import type { RecordedEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createPositions } from "../../../src/projections/kernel/positions.ts";
import { startProjector } from "../../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../../src/projections/kernel/schemas.ts";
import { organizationsProjection } from "../../../src/projections/organizations/projection.ts";
import { organizationQueries } from "../../../src/projections/organizations/queries.ts";
import { apiKeysState } from "../../../src/stores/organizations/apiKeyHashes.ts";
import { startTestLog } from "../../support/log.ts";

export const ISSUER = "http://service.test";
const masterKey = Buffer.alloc(32, 7);
const logger = pino({ level: "silent" });

/** The shared parts: a log, a database, and a clock that tests can advance. */
export const startIdentity = async () => {
  const started = await startTestLog();
  const database = openDatabase(started.databaseUrl);
  await migrate(database.db);
  await prepareProjections(database.db, [organizationsProjection]);
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const stops: (() => Promise<unknown>)[] = [];
  const positions = createPositions();

  /** The accounts and keys of one process. Several processes share the log and the database. */
  const startProcess = async (
    overrides: Partial<Pick<IdentityDeps, "createOrganization" | "startPlan">> = {},
    options: {
      readonly projector?: boolean;
      readonly slowsDown?: boolean;
      readonly byoKeyEnabled?: boolean;
      readonly providers?: OauthDeps["providers"];
    } = {},
  ) => {
    const { db } = database;
    let baseUrl = "";
    const loop = createCommandLoop({ log: started.log, clock });
    const apiKeys = apiKeysState(db);
    const keyChecks = createApiKeyChecks({ apiKeys, clock });
    const queries = organizationQueries(db);
    const organizations = organizationCommands({ loop, clock, apiKeys, keyChecks });
    const billing = billingCommands({ loop, clock, payment: noPayments });
    const made = await createIdentity(
      { database, masterKey, log: started.log },
      {
        issuer: ISSUER,
        slowsDown: options.slowsDown ?? false,
        byoKeyEnabled: options.byoKeyEnabled ?? false,
        webBase: () => ISSUER,
        apiBase: () => baseUrl,
        providers: options.providers ?? {},
        adminEmails: [],
      },
      {
        loop,
        clock,
        createOrganization: organizations.createOrganization,
        startPlan: billing.startPlan,
        ...overrides,
      },
    );
    const identity = made.commands;
    const keys = made.keyRing.current();
    const memberships = createMemberships({ queries, organizations, identity });
    const authenticator = createAuthenticator({
      identity,
      keyChecks,
      memberships,
      isAdmin: made.isAdmin,
    });
    if (options.projector ?? true) {
      const projector = startProjector({
        log: started.log,
        db,
        projections: [organizationsProjection],
        positions,
        logger,
        holder: newId(),
      });
      stops.push(projector.stop);
    }
    const services: Pick<
      Services,
      "clock" | "config" | "version" | "identity" | "organizations" | "memberships"
    > = {
      clock,
      config: loadConfig({ BYO_KEY_ENABLED: String(options.byoKeyEnabled ?? false) }),
      version: "0.0.0",
      identity: { commands: identity },
      organizations: { commands: organizations, queries },
      memberships,
    };
    const app = await buildApp({
      operations: [
        ...signInOperations,
        ...oauthOperations,
        ...passwordOperations,
        ...sessionOperations,
        ...settingsOperations,
        ...personOperations,
        ...verificationOperations,
        ...whoAmIOperations,
        ...apiKeyOperations,
      ],
      services: services as Services,
      authenticator,
      settings: {
        corsOrigins: [],
        cookieSameSite: "lax",
        cookieSecure: false,
        rateLimit: false,
        trustProxy: false,
      } satisfies AppDeps["settings"],
      logger,
      positions,
      projections: [organizationsProjection],
      organizationOf: async () => null,
      sockets: [],
    });
    baseUrl = await app.listen({ host: "127.0.0.1", port: 0 });
    stops.push(() => app.close());
    const { keyRing, outbox } = made;
    return {
      baseUrl,
      identity,
      organizations,
      billing,
      authenticator,
      memberships,
      keys,
      keyRing,
      outbox,
      loop,
    };
  };

  return {
    database,
    log: started.log,
    startProcess,
    clock,
    moveOn: (ms: number) => {
      ahead += ms;
    },
    /** The events of a stream. */
    eventsOf: async (stream: string): Promise<RecordedEvent[]> => {
      const events: RecordedEvent[] = [];
      for await (const event of started.log.readStream(stream)) events.push(event);
      return events;
    },
    /** The whole log as text, to search it for secrets. */
    wholeLog: async (): Promise<string> => {
      let text = "";
      for await (const { data, metadata, type, stream } of started.log.readAll({ after: null })) {
        text += JSON.stringify({ stream, type, data, metadata });
      }
      return text;
    },
    stop: async () => {
      for (const stop of stops.reverse()) await stop();
      await database.close();
      await started.stop();
    },
  };
};

export type Identity = Awaited<ReturnType<typeof startIdentity>>;
export type Process = Awaited<ReturnType<Identity["startProcess"]>>;

export const context = () => ({
  actor: { type: "system" as const, id: "anonymous" },
  organizationId: null,
  correlationId: newId(),
  causationId: newId(),
});
