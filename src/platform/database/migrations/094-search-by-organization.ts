import { type Kysely, sql } from "kysely";

/** Indexes of words that begin with the organisation. A trusted extension: no superuser is needed. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create extension if not exists btree_gin with schema public`.execute(db);
};
