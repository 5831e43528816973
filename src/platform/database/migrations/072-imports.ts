import { type Kysely, sql } from "kysely";

/** Files of background imports of tests, and the result for each of their tests. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("imports")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    // The lease of the importing process.
    .addColumn("begun_at", "timestamptz")
    .addColumn("finished_at", "timestamptz")
    .addColumn("total", "integer", (c) => c.notNull())
    // The request: author and target project, needed to resume after a crash.
    .addColumn("request", "jsonb", (c) => c.notNull())
    // The file; null once the import has ended.
    .addColumn("content", "bytea")
    .execute();
  await db.schema
    .createIndex("imports_open")
    .on("imports")
    .column("created_at")
    .where(sql.ref("finished_at"), "is", null)
    .execute();
  await db.schema
    .createTable("import_items")
    .addColumn("import_id", "uuid", (c) => c.notNull().references("imports.id").onDelete("cascade"))
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("answer", "jsonb", (c) => c.notNull())
    .addPrimaryKeyConstraint("import_items_pkey", ["import_id", "position"])
    .execute();
};
