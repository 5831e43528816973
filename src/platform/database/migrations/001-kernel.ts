import { type Kysely, sql } from "kysely";

/** State of projectors, reactors and leaders: checkpoints, parked events, leases. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("projection_checkpoints")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("position", "bigint")
    .addColumn("advanced_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint("projection_checkpoints_pkey", ["name", "version"])
    .execute();
  await db.schema
    .createTable("reactor_checkpoints")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("position", "bigint")
    .addColumn("advanced_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
  await db.schema
    .createTable("parked_events")
    .addColumn("consumer", "text", (c) => c.notNull())
    .addColumn("position", "bigint", (c) => c.notNull())
    .addColumn("event_id", "uuid", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("error", "text", (c) => c.notNull())
    .addColumn("parked_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint("parked_events_pkey", ["consumer", "position"])
    .execute();
  await db.schema
    .createTable("leaderships")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("holder", "uuid", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .execute();
};
