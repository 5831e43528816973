import { type Kysely, sql } from "kysely";

/** What a session's owner sees of it, who tried to sign in how often, and keys that take turns. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("refresh_families")
    .addColumn("method", "text", (c) => c.notNull().defaultTo("password"))
    // The browser as it names itself, and the network address: personal data, gone with the row.
    .addColumn("device", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("address", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("last_used_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("sign_in_attempts")
    // Of an address, a network address or both together, under the master key.
    .addColumn("digest", "text", (c) => c.primaryKey())
    .addColumn("count", "integer", (c) => c.notNull())
    .addColumn("last_at", "timestamptz", (c) => c.notNull())
    .addColumn("blocked_until", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("sign_in_attempts_last")
    .on("sign_in_attempts")
    .column("last_at")
    .execute();
  await db.schema
    .alterTable("signing_keys")
    // Since when it signs, and since when it does not any more; both null: it waits for its turn.
    .addColumn("activated_at", "timestamptz")
    .addColumn("retired_at", "timestamptz")
    .execute();
  await sql`update signing_keys set activated_at = created_at where active`.execute(db);
};
