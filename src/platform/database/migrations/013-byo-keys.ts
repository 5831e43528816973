import type { Kysely } from "kysely";

/** Keys that persons brought for services of others. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("byo_keys")
    .addColumn("user_id", "uuid", (c) => c.primaryKey())
    // Under the master key; shown to nobody.
    .addColumn("key_sealed", "text", (c) => c.notNull())
    .addColumn("set_at", "timestamptz", (c) => c.notNull())
    .execute();
};
