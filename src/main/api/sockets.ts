import type { buildApp } from "../../api/app.ts";
import type { Authenticator, SocketAuthenticator } from "../../api/auth/authenticator.ts";
import { registerGraphqlSocket } from "../../api/graphql/socket.ts";
import type { Services } from "../../api/services.ts";
import { registerAgentSocket } from "../../api/ws/agent.ts";
import { registerExecutionSocket } from "../../api/ws/execution.ts";
import type { Config } from "../../platform/config.ts";
import { startAgentHost } from "../../workers/agents/host.ts";
import { testDependencies } from "../testDependencies.ts";
import type { ApiContext } from "./context.ts";

type Sockets = Parameters<typeof buildApp>[0]["sockets"];

/** The WebSocket endpoints of the API. `ownUrl` is the URL that the service listens on, once it does. */
export const createSockets = (
  context: ApiContext,
  services: Services,
  authenticator: Authenticator & SocketAuthenticator,
  ownUrl: () => string | null,
): Sockets => {
  const { config, platform, core, logger } = context;
  const { commands, queries, sessions } = core;
  const agentHost = startAgents(context);
  const allowedOrigins = () => originsOf(config, ownUrl());
  return [
    (api) =>
      registerExecutionSocket(api, {
        bus: platform.bus,
        runEvents: queries.runs,
        findRunOwner: queries.runs.findRunOwner,
        positions: context.positions,
        findProjectOwner: async (id) => {
          const project = await queries.catalogue.findProject(id);
          return project && { organizationId: project.organization_id };
        },
        callerOfBearer: authenticator.callerOfBearer,
        sessionOfCookie: commands.identity.openSessionOfRefreshToken,
        isSessionOpen: sessions.isOpen,
        roleIn: authenticator.rolesOf,
        allowedOrigins,
        logger,
      }),
    (api) => registerAgentSocket(api, { host: agentHost, authenticator, logger }),
    (api) => registerGraphqlSocket(api, { services, authenticator, allowedOrigins, logger }),
  ];
};

const startAgents = ({ platform, core, telemetry, logger, stops }: ApiContext) => {
  const { log, bus, blobs } = platform;
  const { db } = platform.database;
  const { begin, observeTests } = telemetry;
  const host = startAgentHost({
    ...{ log, db, bus, blobs, clock: core.clock, logger, begin, observeTests },
    ...testDependencies(core, platform, logger),
  });
  stops.add("agents", host.stop);
  return host;
};

/** Origins of the pages that may open a WebSocket: the service, the web app and CORS_ORIGINS. */
const originsOf = (config: Config, listening: string | null): readonly string[] =>
  [config.publicUrl ?? listening, config.webBaseUrl, ...config.corsOrigins]
    .filter((address) => address !== null)
    .map((address) => new URL(address).origin);
