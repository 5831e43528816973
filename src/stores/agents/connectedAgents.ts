import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Seconds without a heartbeat after which an agent counts as disconnected. Heartbeats arrive every few seconds. */
const GONE_AFTER_SECONDS = 20;

/** An agent's connection to one of the service's processes. */
export type ConnectedAgent = {
  readonly organizationId: string;
  readonly agentId: string;
  readonly name: string;
  readonly version: string;
  readonly browsers: readonly string[];
  readonly capacity: number;
  /** How many executions it has. */
  readonly running: number;
};

/** Which agents are connected, off the log: it is of this moment alone. */
export type ConnectedAgents = {
  /** Says that an agent's connection lives. */
  seen(sessionId: string, agent: ConnectedAgent): Promise<void>;
  remove(sessionId: string): Promise<void>;
  /** Those of an organisation, longest connected first. Times are ISO 8601. */
  listOf(
    organizationId: string,
  ): Promise<
    readonly (ConnectedAgent & { readonly connectedAt: string; readonly seenAt: string })[]
  >;
};

/** The table of agents' connections. The database's clock decides which agents are disconnected. */
export const connectedAgents = (db: Database["db"]): ConnectedAgents => ({
  seen: async (sessionId, agent) => {
    await sql`
      insert into connected_agents
        (session_id, organization_id, agent_id, name, version, browsers, capacity, running)
      values (${sessionId}, ${agent.organizationId}, ${agent.agentId}, ${agent.name}, ${agent.version},
        ${[...agent.browsers]}::text[], ${agent.capacity}, ${agent.running})
      on conflict (session_id) do update set seen_at = now(), running = excluded.running`.execute(
      db,
    );
  },
  remove: async (sessionId) => {
    await sql`
      delete from connected_agents
      where session_id = ${sessionId} or seen_at < now() - interval '1 hour'`.execute(db);
  },
  listOf: async (organizationId) => {
    const { rows } = await sql<AgentRow>`
      select * from connected_agents
      where organization_id = ${organizationId}
        and seen_at > now() - make_interval(secs => ${GONE_AFTER_SECONDS})
      order by connected_at, session_id`.execute(db);
    return rows.map((row) => ({
      organizationId: row.organization_id,
      agentId: row.agent_id,
      name: row.name,
      version: row.version,
      browsers: row.browsers,
      capacity: row.capacity,
      running: row.running,
      connectedAt: row.connected_at,
      seenAt: row.seen_at,
    }));
  },
});

type AgentRow = {
  organization_id: string;
  agent_id: string;
  name: string;
  version: string;
  browsers: string[];
  capacity: number;
  running: number;
  connected_at: string;
  seen_at: string;
};
