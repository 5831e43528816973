import type { Kysely } from "kysely";

/** How many schedules an organisation has, exactly; and whom each one tells, who stand in no event. */
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
    // Of the normalised address, under the master key.
    .addColumn("address_hmac", "text", (c) => c.notNull())
    // Under the master key.
    .addColumn("address_sealed", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("schedule_recipients_key", ["schedule_id", "address_hmac"])
    .execute();
  await db.schema
    .createIndex("schedule_recipients_by_address")
    .on("schedule_recipients")
    .column("address_hmac")
    .execute();
};
