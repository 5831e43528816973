import { type Kysely, sql } from "kysely";

/** Since when a contact has its address: one that was never recorded gives it back. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("contact_addresses")
    .addColumn("taken_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
};
