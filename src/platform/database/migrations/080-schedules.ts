import type { Kysely } from "kysely";

/** The exact number of schedules of an organisation, and the recipients of each schedule, which are in no event. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("schedule_slots")
    .addColumn("schedule_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("taken_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("schedule_slots_by_organization")
    .on("schedule_slots")
    .columns(["organization_id", "schedule_id"])
    .execute();
  await db.schema
    .createTable("schedule_recipients")
    .addColumn("schedule_id", "uuid", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("position", "integer", (c) => c.notNull())
    // HMAC of the normalised address with the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Encrypted with the master key.
    .addColumn("address_sealed", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("schedule_recipients_key", ["schedule_id", "address_hmac"])
    .execute();
  await db.schema
    .createIndex("schedule_recipients_by_address")
    .on("schedule_recipients")
    .column("address_hmac")
    .execute();
};
