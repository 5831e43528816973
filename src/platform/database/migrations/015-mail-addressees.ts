import type { Kysely } from "kysely";

/**
 * The addressee of a message as a digest, so that an erasure also finds mails sent before the person had an account.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable("outbox").addColumn("address_hmac", "text").execute();
  await db.schema.createIndex("outbox_address").on("outbox").column("address_hmac").execute();
  await db.schema
    .createIndex("outbox_created")
    .on("outbox")
    .columns(["created_at", "id"])
    .execute();
};
