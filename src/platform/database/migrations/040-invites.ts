import type { Kysely } from "kysely";

/** Whom an invite is for: in no event, and gone when it is accepted or revoked. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("invite_addresses")
    .addColumn("invite_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    // Of the normalised address, under the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Under the master key.
    .addColumn("address_sealed", "text", (c) => c.notNull())
    .addColumn("token_hash", "bytea", (c) => c.notNull().unique())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    // One open invite for an address and organisation, however many ask at once.
    .addUniqueConstraint("invite_addresses_once", ["organization_id", "address_hmac"])
    .execute();
};
