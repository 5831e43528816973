import { type Kysely, sql } from "kysely";

/** Word indexes that start with the organisation. A trusted extension: needs no superuser. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create extension if not exists btree_gin with schema public`.execute(db);
};
