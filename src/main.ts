import { buildApp } from "./api/app.ts";
import { createAuthenticator } from "./api/auth/authenticator.ts";
import { createMemberships } from "./api/auth/memberships.ts";
import { registerGraphqlSocket } from "./api/graphql/socket.ts";
import { operations } from "./api/routes/index.ts";
import type { Services } from "./api/services.ts";
import { registerAgentSocket } from "./api/ws/agent.ts";
import { type ExecutionSocketDeps, registerExecutionSocket } from "./api/ws/execution.ts";
import type { WebhookCommands } from "./commands/billing/webhooks.ts";
import { type Core, createCore, projections } from "./main/core.ts";
import { checkHealth, troubleOf } from "./main/health.ts";
import { openIdProviders } from "./main/identity.ts";
import { createPayments } from "./main/payments.ts";
import {
  createStops,
  type Platform,
  type StartingPostgres,
  type Stops,
  startPlatform,
} from "./main/platform.ts";
import { followPositions } from "./main/positions.ts";
import { startFolding } from "./main/readModels.ts";
import { startTelemetry, type Telemetry } from "./main/telemetry/index.ts";
import { sourcesOf } from "./main/telemetry/sources.ts";
import { testParts } from "./main/testParts.ts";
import { version } from "./main/version.ts";
import { createWebhooks } from "./main/webhooks.ts";
import { startWorkers } from "./main/workers.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import { createLanguageModel } from "./platform/languageModel.ts";
import { forgetLeaders } from "./platform/leadership.ts";
import { createLogger, type Logger } from "./platform/logger.ts";
import { billingHistory } from "./projections/billing/history.ts";
import { planMarks } from "./projections/billing/marks.ts";
import { webhookQueries } from "./projections/billing/webhooks.ts";
import { inspectorQueries } from "./projections/inspection/index.ts";
import { projectionOperations } from "./projections/kernel/operations.ts";
import type { Positions } from "./projections/kernel/positions.ts";
import { prepareProjections } from "./projections/kernel/schemas.ts";
import { usageReplay } from "./projections/usage/replay.ts";
import { connectedAgents } from "./stores/agents/connectedAgents.ts";
import { dispatchQueue } from "./stores/runs/dispatchQueue.ts";
import { startAgentHost } from "./workers/agents/host.ts";
import { shareTail } from "./workers/kernel/sharedTail.ts";

/** The service, running. */
export type RunningService = {
  /** Where it listens, `http://host:port`; null when this process has no `api` role. */
  readonly url: string | null;
  /** Where its metrics are, `http://host:port`; null unless METRICS_PORT is set. */
  readonly metricsUrl: string | null;
  /** The platform and the core, for operator commands and tests that look at the log. */
  readonly platform: Platform;
  readonly core: Core;
  /** Ends cleanly: takes no more requests, gives back what runs, closes every part. */
  stop(): Promise<void>;
};

/** Names the service in its tokens where it has no public address. */
const ISSUER = "urn:runledger";
/**
 * So many connections may wait to be taken up, within what the system allows (`net.core.somaxconn`). Node's own 511
 * are soon there while the process is at something else, and who finds no place knocks again a second later.
 */
const BACKLOG = 4_096;

/**
 * The composition root: starts the parts that the settings name, in the order in which they depend
 * on each other, and wires them. Rejects, with everything stopped again, when one cannot start.
 */
export const startService = async (
  config: Config,
  logger: Logger = createLogger({ level: config.logLevel }),
  /** The PostgreSQL of the data folder, where it is on its way up already. */
  postgres?: StartingPostgres,
): Promise<RunningService> => {
  const stops = createStops(logger);
  try {
    const telemetry = await startTelemetry(config, logger, stops).catch(async (error) => {
      // It is on its way, and nobody has it yet who would stop it.
      await postgres?.then(({ stop }) => stop());
      throw error;
    });
    const started = await startPlatform(config, logger, stops, { postgres });
    const platform = telemetry.observePlatform(started);
    const { database, log } = platform;
    await prepareProjections(database.patient, projections);
    if (config.databaseUrl === null) await forgetLeaders(database.db);
    const positions = await followPositions(platform.databaseUrl, database, logger, stops);
    let listening: string | null = null;
    const apiBase = () => config.publicUrl ?? listening ?? `http://${config.host}:${config.port}`;
    const webBase = () => config.webBaseUrl ?? apiBase();
    const core = await createCore(
      platform,
      systemClock,
      {
        issuer: config.publicUrl ?? ISSUER,
        slowsDown: config.rateLimit,
        byoKeyEnabled: config.byoKeyEnabled,
        webBase,
        apiBase,
        providers: openIdProviders(config, logger),
        adminEmails: config.adminEmails,
      },
      await createPayments(config, webBase),
      telemetry.observeLoop,
    );
    stops.add("comparer of pictures", core.comparer.close);
    if (config.databaseUrl === null) await core.idempotencyKeys.leaveAllOpen();
    // What follows the log in this process gets each event over the wire once.
    const tail = shareTail(log);
    if (config.roles.includes("projections")) {
      const { traced } = telemetry;
      startFolding({ ...platform, log: tail, positions, logger, traced, stops });
    }
    const webhooks = telemetry.observeWebhooks(
      createWebhooks(config, platform, core, positions, logger, stops),
    );
    const followed = { ...platform, log: tail };
    startWorkers(config, followed, core, webhooks, positions, logger, stops, telemetry);
    const url = config.roles.includes("api")
      ? await listen(config, platform, core, webhooks, positions, logger, stops, telemetry)
      : null;
    listening = url;
    telemetry.running(sourcesOf(config, platform), () => troubleOf(platform));
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

const listen = async (
  config: Config,
  platform: Platform,
  core: Core,
  webhooks: WebhookCommands,
  positions: Positions,
  logger: Logger,
  stops: Stops,
  telemetry: Telemetry,
): Promise<string> => {
  const { commands, queries, clock } = core;
  const memberships = createMemberships({ ...commands, queries: queries.organizations });
  const queue = dispatchQueue(platform.database.db);
  const agents = connectedAgents(platform.database.db);
  const readModels = projectionOperations({ db: platform.database.db, projections });
  const services: Services = {
    runnerStatus: async (organizationId) => ({
      queue: await queue.countOf(organizationId),
      agents: await agents.listOf(organizationId),
    }),
    config,
    version,
    clock,
    memberships,
    idempotencyKeys: core.idempotencyKeys,
    bus: platform.bus,
    blobs: platform.blobs,
    health: () => checkHealth(platform),
    identity: { commands: commands.identity },
    audit: { commands: commands.audit, queries: queries.audit },
    invites: { commands: commands.invites },
    organizations: { commands: commands.organizations, queries: queries.organizations },
    admin: { listMail: core.outbox.list, queries: queries.admin },
    projections: {
      operations: readModels,
      listBuilds: () => readModels.listBuilds(platform.log),
    },
    inspector: {
      commands: commands.inspection,
      queries: inspectorQueries({
        db: platform.database.db,
        log: platform.log,
        persons: core.persons,
        projections,
      }),
      findPerson: core.persons.find,
      isAdmin: core.isAdmin,
    },
    catalogue: { commands: commands.catalogue, queries: queries.catalogue },
    languageModel: config.languageModel && createLanguageModel(config.languageModel, logger),
    runs: {
      commands: commands.runs,
      queries: { ...queries.runs, ...queries.executions, ...queries.evidence },
    },
    notifications: { commands: commands.notifications, queries: queries.notifications },
    reports: { queries: queries.reports },
    dashboard: { queries: queries.dashboard },
    quarantine: { commands: commands.quarantine, queries: queries.quarantine },
    resultImports: { commands: commands.resultImports, queries: queries.resultImports },
    schedules: { commands: commands.schedules, queries: queries.schedules },
    baselines: { commands: commands.baselines, queries: queries.baselines },
    healings: queries.healings,
    usage: { queries: queries.usage, replay: usageReplay(platform.log) },
    billing: {
      commands: commands.billing,
      queries: queries.billing,
      history: billingHistory(platform.log, planMarks(platform.database.db)),
      audit: commands.planAudit,
    },
    webhooks: { ...webhooks, queries: webhookQueries(platform.database.db) },
  };
  const authenticator = createAuthenticator({
    identity: commands.identity,
    keyChecks: core.keyChecks,
    memberships,
    isAdmin: core.isAdmin,
  });
  let url: string | null = null;
  const { log, bus, blobs } = platform;
  const { db } = platform.database;
  const agentHost = startAgentHost({
    ...{ log, db, bus, blobs, clock, logger },
    ...{ begin: telemetry.begin, observeTests: telemetry.observeTests },
    ...testParts(core, platform, logger),
  });
  stops.add("agents", agentHost.stop);
  const socketDeps: ExecutionSocketDeps = {
    bus: platform.bus,
    runEvents: queries.runs,
    findRunOwner: queries.runs.findRunOwner,
    sessionOfCookie: commands.identity.openSessionOfRefreshToken,
    isSessionOpen: core.sessions.isOpen,
    roleIn: authenticator.rolesOf,
    allowedOrigins: () => originsOf(config, url),
    logger,
  };
  const app = await buildApp({
    operations,
    services,
    authenticator,
    settings: {
      corsOrigins: config.corsOrigins,
      cookieSameSite: config.cookieSameSite,
      cookieSecure: config.publicUrl?.startsWith("https://") ?? false,
      rateLimit: config.rateLimit,
      trustProxy: config.trustProxy,
    },
    logger,
    positions,
    projections,
    troubled: platform.parts.troubled,
    observer: telemetry.edge,
    organizationOf: async (id) =>
      (await queries.executions.findExecutionSummary(id))?.organizationId ??
      (await queries.runs.findRunOwner(id))?.organizationId ??
      (await queries.catalogue.findTest(id))?.organization_id ??
      (await queries.catalogue.findTestSet(id))?.organization_id ??
      null,
    sockets: [
      (api) => registerExecutionSocket(api, socketDeps),
      (api) => registerAgentSocket(api, { host: agentHost, authenticator, logger }),
      (api) =>
        registerGraphqlSocket(api, {
          services,
          authenticator,
          allowedOrigins: socketDeps.allowedOrigins,
          logger,
        }),
    ],
  });
  stops.add("HTTP", () => app.close());
  url = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  return url;
};

/** Pages that may open a WebSocket: the service's own, the web app's, and those that CORS lets in. */
const originsOf = (config: Config, listening: string | null): readonly string[] =>
  [config.publicUrl ?? listening, config.webBaseUrl, ...config.corsOrigins]
    .filter((address) => address !== null)
    .map((address) => new URL(address).origin);
