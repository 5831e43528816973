import { type Kysely, sql } from "kysely";

/**
 * An index of the log for searches: positions and causes of events, streams and their aliases. It is built from the log
 * and contains only ids.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("event_index")
    .addColumn("event_id", "uuid", (c) => c.primaryKey())
    .addColumn("position", "bigint", (c) => c.notNull())
    .addColumn("stream", "text", (c) => c.notNull())
    .addColumn("revision", "bigint", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("correlation_id", "uuid")
    .addColumn("causation_id", "uuid")
    .addColumn("occurred_at", "timestamptz")
    .execute();
  for (const column of ["correlation_id", "causation_id"]) {
    await db.schema
      .createIndex(`event_index_${column}`)
      .on("event_index")
      .columns([column, "position"])
      .execute();
  }
  await db.schema
    .createTable("event_index_streams")
    .addColumn("stream", sql`text collate "C"`, (c) => c.primaryKey())
    .addColumn("revision", "bigint", (c) => c.notNull())
    .addColumn("first_at", "timestamptz")
    .addColumn("last_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("event_index_aliases")
    .addColumn("alias", sql`text collate "C"`, (c) => c.notNull())
    .addColumn("stream", "text", (c) => c.notNull())
    .addColumn("what", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("event_index_aliases_pkey", ["alias", "stream", "what"])
    .execute();
};
