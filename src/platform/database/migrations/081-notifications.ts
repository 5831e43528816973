import type { Kysely } from "kysely";

/** Whom an organisation tells, and whom each mail was for: in no event, and gone with the person. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("contact_addresses")
    .addColumn("contact_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    // Of the normalised address, under the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Name and address, under the master key.
    .addColumn("sealed", "text", (c) => c.notNull())
    // One contact for an address and organisation, however many ask at once.
    .addUniqueConstraint("contact_addresses_once", ["organization_id", "address_hmac"])
    .execute();
  await db.schema
    .createTable("notification_addresses")
    .addColumn("notification_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("address_hmac", "text", (c) => c.notNull())
    .addColumn("sealed", "text", (c) => c.notNull())
    .execute();
  // How far the log knows what became of a mail that it asked for.
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
