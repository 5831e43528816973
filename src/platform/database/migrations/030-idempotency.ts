import { type Kysely, sql } from "kysely";

/** Requests that came with an Idempotency-Key: written before they act, and what they were answered after. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("idempotency_keys")
    // Of who asks, where and with which key. The key itself is nobody's business.
    .addColumn("digest", "text", (c) => c.primaryKey())
    .addColumn("principal", "text", (c) => c.notNull())
    .addColumn("organization_id", "uuid")
    .addColumn("method", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("body_digest", "text", (c) => c.notNull())
    // What the ids that the request gives out are made from.
    .addColumn("seed", "uuid", (c) => c.notNull())
    .addColumn("begun_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    // Who works on it, and until when that is believed.
    .addColumn("holder", "uuid", (c) => c.notNull())
    .addColumn("held_until", "timestamptz", (c) => c.notNull())
    // Under the master key; null until it was answered.
    .addColumn("answer_sealed", "text")
    .execute();
  await db.schema
    .createIndex("idempotency_keys_begun")
    .on("idempotency_keys")
    .column("begun_at")
    .execute();
};
