import { type Kysely, sql } from "kysely";

/** Working state of dispatcher, executors and watchdog. It can be rebuilt from the log. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("dispatch_queue")
    .addColumn("execution_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("run_id", "uuid", (c) => c.notNull())
    .addColumn("quota_period", "text", (c) => c.notNull())
    .addColumn("ordinal", "bigserial", (c) => c.notNull())
    .addColumn("delivery", "integer", (c) => c.notNull())
    .addColumn("state", "text", (c) =>
      c.notNull().check(sql`state in ('queued', 'admitted', 'claimed')`),
    )
    .addColumn("offers", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("ever_claimed", "boolean", (c) => c.notNull().defaultTo(false))
    .addColumn("position", "bigint", (c) => c.notNull())
    .addColumn("queued_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .addColumn("offered_at", "timestamptz")
    .addColumn("claimed_at", "timestamptz")
    .execute();
  await db.schema
    .createIndex("dispatch_queue_waiting")
    .on("dispatch_queue")
    .columns(["state", "organization_id", "ordinal"])
    .execute();
  await db.schema
    .createTable("execution_leases")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("delivery", "integer", (c) => c.notNull())
    .addColumn("worker", "text", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("execution_leases_pkey", ["execution_id", "delivery"])
    .execute();
  await db.schema
    .createTable("executor_slots")
    .addColumn("worker", "text", (c) => c.primaryKey())
    .addColumn("slots", "integer", (c) => c.notNull())
    .addColumn("seen_at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("pending_reservations")
    .addColumn("run_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("period", "text", (c) => c.notNull())
    .addColumn("reserved_at", "timestamptz", (c) => c.notNull())
    .execute();
};
