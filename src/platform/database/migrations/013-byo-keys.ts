import type { Kysely } from "kysely";

/** API keys of other services that users have added. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("byo_keys")
    .addColumn("user_id", "uuid", (c) => c.primaryKey())
    // Encrypted with the master key; never shown.
    .addColumn("key_sealed", "text", (c) => c.notNull())
    .addColumn("set_at", "timestamptz", (c) => c.notNull())
    .execute();
};
