import type { Kysely } from "kysely";

/** Contacts of organisations and addressees of mails: contained in no event, deleted with the person. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("contact_addresses")
    .addColumn("contact_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    // HMAC of the normalised address with the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Name and address, encrypted with the master key.
    .addColumn("sealed", "text", (c) => c.notNull())
    // One contact per address and organisation, enforced for concurrent requests.
    .addUniqueConstraint("contact_addresses_once", ["organization_id", "address_hmac"])
    .execute();
  await db.schema
    .createTable("notification_addresses")
    .addColumn("notification_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("address_hmac", "text", (c) => c.notNull())
    .addColumn("sealed", "text", (c) => c.notNull())
    .execute();
  // The last outcome of the mail that is recorded in the log.
  await db.schema
    .createTable("noted_mails")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .execute();
  for (const table of ["contact_addresses", "notification_addresses"]) {
    await db.schema.createIndex(`${table}_by_address`).on(table).column("address_hmac").execute();
  }
};
