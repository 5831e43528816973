import { type Kysely, sql } from "kysely";

/** Encrypted bodies of payment providers' events, from which failed and waiting ones are retried. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("webhook_bodies")
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("event_id", "text", (c) => c.notNull())
    // Encrypted with the master key.
    .addColumn("body_sealed", "text", (c) => c.notNull())
    .addColumn("subscription_id", "text")
    .addColumn("received_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("attempts", "integer", (c) => c.notNull().defaultTo(0))
    // Null: it is not retried.
    .addColumn("next_attempt_at", "timestamptz")
    .addPrimaryKeyConstraint("webhook_bodies_pkey", ["provider", "event_id"])
    .execute();
  await db.schema
    .createIndex("webhook_bodies_due")
    .on("webhook_bodies")
    .column("next_attempt_at")
    .where(sql.ref("next_attempt_at"), "is not", null)
    .execute();
  await db.schema
    .createIndex("webhook_bodies_waiting")
    .on("webhook_bodies")
    .columns(["provider", "subscription_id"])
    .where(sql.ref("next_attempt_at"), "is not", null)
    .execute();
};
