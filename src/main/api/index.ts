import { buildApp } from "../../api/app.ts";
import { createAuthenticator } from "../../api/auth/authenticator.ts";
import { createMemberships } from "../../api/auth/memberships.ts";
import { operations } from "../../api/routes/index.ts";
import { followCatchUp } from "../../projections/kernel/catchUp.ts";
import type { Core } from "../core/index.ts";
import { projections } from "../core/projections.ts";
import type { ApiContext } from "./context.ts";
import { createServices } from "./services.ts";
import { createSockets } from "./sockets.ts";

/**
 * The length of the kernel's queue of pending connections, limited by `net.core.somaxconn`. The queue of 511 that
 * Node.js asks for by default overflows while the event loop is busy, and a client retries only after a second.
 */
const BACKLOG = 4_096;

/** Builds the HTTP API and listens. Returns its URL, `http://host:port`. */
export const startApi = async (context: ApiContext): Promise<string> => {
  const { config, platform, core, positions, logger, stops, telemetry } = context;
  const { commands, queries } = core;
  const memberships = createMemberships({ ...commands, queries: queries.organizations });
  const services = createServices(context, memberships);
  const authenticator = createAuthenticator({
    identity: commands.identity,
    keyChecks: core.keyChecks,
    memberships,
    isAdmin: core.isAdmin,
  });
  let url: string | null = null;
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
    catchUp: await followCatchUp({
      db: platform.database.db,
      log: platform.log,
      positions,
      now: () => performance.now(),
    }),
    unavailable: platform.parts.unavailable,
    observer: telemetry.edge,
    organizationOf: organizationFinder(queries),
    sockets: createSockets(context, services, authenticator, () => url),
  });
  stops.add("HTTP", () => app.close());
  url = await app.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  return url;
};

/** Finds the organisation of an execution, run, test or test set by its id. */
const organizationFinder =
  ({ executions, runs, catalogue }: Core["queries"]) =>
  async (id: string): Promise<string | null> =>
    (await executions.findExecutionSummary(id))?.organizationId ??
    (await runs.findRunOwner(id))?.organizationId ??
    (await catalogue.findTest(id))?.organization_id ??
    (await catalogue.findTestSet(id))?.organization_id ??
    null;
