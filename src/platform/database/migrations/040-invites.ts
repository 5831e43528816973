import type { Kysely } from "kysely";

/** Addressees of invites: contained in no event, and deleted when the invite is accepted or revoked. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("invite_addresses")
    .addColumn("invite_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    // HMAC of the normalised address with the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Encrypted with the master key.
    .addColumn("address_sealed", "text", (c) => c.notNull())
    .addColumn("token_hash", "bytea", (c) => c.notNull().unique())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    // One open invite per address and organisation, enforced for concurrent requests.
    .addUniqueConstraint("invite_addresses_once", ["organization_id", "address_hmac"])
    .execute();
};
