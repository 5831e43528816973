import { type Kysely, sql } from "kysely";

/** Displayed attributes of sessions, failed sign-ins, and rotation of signing keys. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("refresh_families")
    .addColumn("method", "text", (c) => c.notNull().defaultTo("password"))
    // User agent and network address: personal data, deleted with the row.
    .addColumn("device", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("address", "text", (c) => c.notNull().defaultTo(""))
    .addColumn("last_used_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("sign_in_attempts")
    // HMAC with the master key of an e-mail address, a network address or both.
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
    // The times of activation and retirement; both null: the key is not active yet.
    .addColumn("activated_at", "timestamptz")
    .addColumn("retired_at", "timestamptz")
    .execute();
  await sql`update signing_keys set activated_at = created_at where active`.execute(db);
};
