import { type Kysely, sql } from "kysely";

/** Trigrams, for searching names by substring or with a typing error. A trusted extension: needs no superuser. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create extension if not exists pg_trgm with schema public`.execute(db);
};
