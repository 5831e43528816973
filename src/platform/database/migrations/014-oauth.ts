import type { Kysely } from "kysely";

/** Pending sign-ins at OpenID providers, and links between users and identities. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("oauth_flows")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    // SHA-256 of the state parameter and of the cookie.
    .addColumn("state_hash", "bytea", (c) => c.notNull().unique())
    .addColumn("browser_hash", "bytea", (c) => c.notNull())
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("return_to", "text", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("oauth_flows_expiry")
    .on("oauth_flows")
    .column("expires_at")
    .execute();
  await db.schema
    .createTable("external_identities")
    // Derived from issuer and subject with the master key: stable across links.
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("user_id", "uuid", (c) => c.notNull().references("persons.id").onDelete("cascade"))
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("issuer", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("linked_at", "timestamptz", (c) => c.notNull())
    .addUniqueConstraint("external_identities_of_user", ["user_id", "provider"])
    .execute();
};
