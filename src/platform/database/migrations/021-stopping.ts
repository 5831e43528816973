import { type Kysely, sql } from "kysely";

/** What is to stop although a worker has it, and until when a run may take. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("dispatch_queue")
    .addColumn("stop_reason", "text", (c) => c.check(sql`stop_reason in ('asked', 'overdue')`))
    .addColumn("deadline", "timestamptz")
    .execute();
};
