import type { Kysely } from "kysely";

/** Fingerprints of the elements of steps at their last pass. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("step_fingerprints")
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("step_id", "uuid", (c) => c.notNull())
    .addColumn("target", "text", (c) => c.notNull())
    .addColumn("fingerprint", "jsonb", (c) => c.notNull())
    .addColumn("taken_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("step_fingerprints_pkey", ["test_id", "step_id"])
    .execute();
};
