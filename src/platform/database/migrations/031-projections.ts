import { type Kysely, sql } from "kysely";

/**
 * Builds of projections: one version may have several builds (a shown one, and one that is built to replace it), each
 * in a schema of its own. Parked events can be retried or skipped. Requests for a comparison with the log wait in a
 * table for the process that executes them.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("projection_checkpoints")
    .addColumn("build", "integer", (c) => c.notNull().defaultTo(1))
    // shown: used by queries; building: will replace the shown build; retired: to be dropped.
    .addColumn("state", "text", (c) => c.notNull().defaultTo("shown"))
    .execute();
  await db.schema
    .alterTable("projection_checkpoints")
    .dropConstraint("projection_checkpoints_pkey")
    .execute();
  await db.schema
    .alterTable("projection_checkpoints")
    .addPrimaryKeyConstraint("projection_checkpoints_pkey", ["name", "version", "build"])
    .execute();
  await db.schema
    .alterTable("parked_events")
    .addColumn("id", "uuid", (c) => c.notNull().unique().defaultTo(sql`gen_random_uuid()`))
    .addColumn("stream", "text")
    .addColumn("revision", "bigint")
    .addColumn("retry_asked_at", "timestamptz")
    .addColumn("skipped_at", "timestamptz")
    .addColumn("skip_reason", "text")
    .execute();
  await db.schema
    .createTable("projection_verifications")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("asked_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("finished_at", "timestamptz")
    .addColumn("result", "jsonb")
    .execute();
};
