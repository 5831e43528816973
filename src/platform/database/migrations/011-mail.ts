import type { Kysely } from "kysely";

/** Outgoing messages and the tokens that they contain. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("outbox")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("user_id", "uuid")
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    // Encrypted with the master key; null once the message has been sent or dropped.
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
    // SHA-256: only the mail contains the token itself.
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("purpose", "text", (c) => c.notNull())
    // No foreign key: a token is also created for an unknown address, so that both cases cost the same.
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
