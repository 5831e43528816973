import { type Kysely, sql } from "kysely";

/** The target of queued executions, and the agents connected to each process. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("dispatch_queue")
    .addColumn("target", "text", (c) =>
      c.notNull().defaultTo("cloud").check(sql`target in ('cloud', 'agent')`),
    )
    .addColumn("browsers", sql`text[]`, (c) => c.notNull().defaultTo(sql`'{}'`))
    .execute();
  await db.schema
    .createTable("connected_agents")
    .addColumn("session_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("agent_id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("browsers", sql`text[]`, (c) => c.notNull())
    .addColumn("capacity", "integer", (c) => c.notNull())
    .addColumn("running", "integer", (c) => c.notNull())
    .addColumn("connected_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("seen_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
  await db.schema
    .createIndex("connected_agents_organization")
    .on("connected_agents")
    .columns(["organization_id"])
    .execute();
};
