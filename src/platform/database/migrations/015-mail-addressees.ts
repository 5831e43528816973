import type { Kysely } from "kysely";

/** Whom a message is for, as a digest: what was mailed to somebody before they had an account goes with them too. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable("outbox").addColumn("address_hmac", "text").execute();
  await db.schema.createIndex("outbox_address").on("outbox").column("address_hmac").execute();
  await db.schema
    .createIndex("outbox_created")
    .on("outbox")
    .columns(["created_at", "id"])
    .execute();
};
