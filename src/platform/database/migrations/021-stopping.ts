import { type Kysely, sql } from "kysely";

/** Stop requests for claimed executions, and deadlines of runs. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("dispatch_queue")
    .addColumn("stop_reason", "text", (c) => c.check(sql`stop_reason in ('asked', 'overdue')`))
    .addColumn("deadline", "timestamptz")
    .execute();
};
