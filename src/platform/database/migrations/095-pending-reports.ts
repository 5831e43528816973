import type { Kysely } from "kysely";

/** Reports whose import has several parts and is in progress, to resume it after a crash. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("pending_reports")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project_id", "uuid")
    .addColumn("received_at", "timestamptz", (c) => c.notNull())
    // The actor and the request.
    .addColumn("request", "jsonb", (c) => c.notNull())
    .addColumn("content", "bytea", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("pending_reports_received")
    .on("pending_reports")
    .column("received_at")
    .execute();
};
