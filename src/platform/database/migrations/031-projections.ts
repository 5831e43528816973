import { type Kysely, sql } from "kysely";

/**
 * Builds of projections: several of one version may stand side by side (one is shown, one is built to
 * take its place), each in a schema of its own. What was parked can be tried again or skipped. What is
 * asked to be compared with the log waits in a table for the process that does it.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("projection_checkpoints")
    .addColumn("build", "integer", (c) => c.notNull().defaultTo(1))
    // shown: queries read it; building: it will take the place of the shown one; retired: to be dropped.
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
