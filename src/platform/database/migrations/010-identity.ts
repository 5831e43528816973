import { type Kysely, sql } from "kysely";

/** Users and their credentials. The log contains none of this data, so backups must. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("persons")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    // HMAC of the normalised address with the master key: unique without comparing addresses.
    .addColumn("address_hmac", "text", (c) => c.notNull().unique())
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("verified_at", "timestamptz")
    // Assigned before the first event, so that an interrupted sign-up resumes with the same ids.
    .addColumn("signup_organization_id", "uuid", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    // Null while the sign-up is in progress and the address is not taken yet.
    .addColumn("signed_up_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("password_hashes")
    .addColumn("user_id", "uuid", (c) =>
      c.primaryKey().references("persons.id").onDelete("cascade"),
    )
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("changed_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("refresh_families")
    .addColumn("session_id", "uuid", (c) => c.primaryKey())
    .addColumn("user_id", "uuid", (c) => c.notNull())
    .addColumn("opened_at", "timestamptz", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .addColumn("revoked_at", "timestamptz")
    .execute();
  await db.schema
    .createIndex("refresh_families_user")
    .on("refresh_families")
    .column("user_id")
    .execute();
  await db.schema
    .createTable("refresh_tokens")
    .addColumn("hash", "bytea", (c) => c.primaryKey())
    .addColumn("session_id", "uuid", (c) =>
      c.notNull().references("refresh_families.session_id").onDelete("cascade"),
    )
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .addColumn("used_at", "timestamptz")
    .execute();
  await db.schema
    .createIndex("refresh_tokens_session")
    .on("refresh_tokens")
    .column("session_id")
    .execute();
  await db.schema
    .createTable("signing_keys")
    .addColumn("kid", "text", (c) => c.primaryKey())
    .addColumn("public_jwk", "jsonb", (c) => c.notNull())
    // Encrypted with the master key.
    .addColumn("private_jwk_sealed", "text", (c) => c.notNull())
    .addColumn("active", "boolean", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .execute();
  // One key signs, even if several processes start concurrently on an empty database.
  await sql`create unique index signing_keys_one_active on signing_keys (active) where active`.execute(
    db,
  );
  await db.schema
    .createTable("api_key_hashes")
    .addColumn("key_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("hash", "bytea", (c) => c.notNull().unique())
    .addColumn("expires_at", "timestamptz")
    .addColumn("revoked_at", "timestamptz")
    .addColumn("last_used_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("sign_in_refusals")
    // The user; for an unknown address an id derived from it, so that both cases cost the same.
    .addColumn("principal", "uuid", (c) => c.notNull())
    .addColumn("rule", "text", (c) => c.notNull())
    .addColumn("minute", "timestamptz", (c) => c.notNull())
    .addColumn("known", "boolean", (c) => c.notNull())
    .addColumn("count", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("sign_in_refusals_pkey", ["principal", "rule", "minute"])
    .execute();
};
