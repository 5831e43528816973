import { type Kysely, sql } from "kysely";

/** The time when a contact's address was stored: the address of a contact that was never recorded is released. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("contact_addresses")
    .addColumn("taken_at", "timestamptz", (c) => c.notNull().defaultTo(sql`now()`))
    .execute();
};
