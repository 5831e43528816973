import { type Kysely, sql } from "kysely";

/** Requests with an Idempotency-Key: a claim is written before the request is executed, its response afterwards. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("idempotency_keys")
    // HMAC of caller, operation and key. The key itself is not stored.
    .addColumn("digest", "text", (c) => c.primaryKey())
    .addColumn("principal", "text", (c) => c.notNull())
    .addColumn("organization_id", "uuid")
    .addColumn("method", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("body_digest", "text", (c) => c.notNull())
    // The seed of the ids that the request generates.
    .addColumn("seed", "uuid", (c) => c.notNull())
    .addColumn("begun_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    // The process that executes the request, and the time when its claim expires.
    .addColumn("holder", "uuid", (c) => c.notNull())
    .addColumn("held_until", "timestamptz", (c) => c.notNull())
    // Encrypted with the master key; null until the response is known.
    .addColumn("answer_sealed", "text")
    .execute();
  await db.schema
    .createIndex("idempotency_keys_begun")
    .on("idempotency_keys")
    .column("begun_at")
    .execute();
};
