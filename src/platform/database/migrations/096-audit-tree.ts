import { type Kysely, sql } from "kysely";

/** The Merkle tree of the event log: its signed state, its incomplete tiles, and what verifies it. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("audit_tree")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("size", "bigint", (c) => c.notNull())
    // The position of the last leaf in the log.
    .addColumn("position", "bigint")
    .addColumn("root", "bytea", (c) => c.notNull())
    .addColumn("remarks", "jsonb", (c) => c.notNull())
    // The signed note; null before the first one.
    .addColumn("checkpoint", "text")
    .addColumn("signed_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("audit_tree_edges")
    .addColumn("level", "integer", (c) => c.primaryKey())
    .addColumn("hashes", "bytea", (c) => c.notNull())
    // For level 0: see audit_tree_tiles.
    .addColumn("checks", "bytea")
    .addColumn("first_position", "bigint")
    .execute();
  await db.schema
    .createTable("audit_tree_tiles")
    .addColumn("index", "bigint", (c) => c.primaryKey())
    .addColumn("first_position", "bigint", (c) => c.notNull())
    // Checksums of the fields of its events, which name the altered field. They prove nothing.
    .addColumn("checks", "bytea", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("audit_tree_tiles_position")
    .on("audit_tree_tiles")
    .column("first_position")
    .execute();
  await db.schema
    .createTable("audit_anchors")
    .addColumn("target", "text", (c) => c.primaryKey())
    .addColumn("size", "bigint")
    .addColumn("delivered_at", "timestamptz")
    .addColumn("failed_at", "timestamptz")
    .addColumn("error", "text")
    .execute();
  await db.schema
    .createTable("audit_verifications")
    .addColumn("id", "integer", (c) => c.primaryKey().check(sql`id = 1`))
    .addColumn("verified_at", "timestamptz", (c) => c.notNull())
    .addColumn("size", "bigint", (c) => c.notNull())
    .addColumn("finding", "text")
    .execute();
};
