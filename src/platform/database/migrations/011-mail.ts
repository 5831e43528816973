import type { Kysely } from "kysely";

/** Messages on their way out, and the tokens that are in them. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("outbox")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("user_id", "uuid")
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    // Under the master key; null once the message has ended.
    .addColumn("mail_sealed", "text")
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("due_at", "timestamptz", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("last_error", "text")
    .addColumn("ended_at", "timestamptz")
    .execute();
  await db.schema.createIndex("outbox_due").on("outbox").columns(["status", "due_at"]).execute();
  await db.schema.createIndex("outbox_user").on("outbox").column("user_id").execute();
  await db.schema
    .createTable("identity_tokens")
    // SHA-256: the token itself is in the mail alone.
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("purpose", "text", (c) => c.notNull())
    // No reference: a token is made for an address that nobody has too, so that both cost the same.
    .addColumn("user_id", "uuid", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("identity_tokens_user")
    .on("identity_tokens")
    .columns(["user_id", "purpose"])
    .execute();
};
