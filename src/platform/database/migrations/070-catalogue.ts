import { type Kysely, sql } from "kysely";

/** Trigrams, for names that are searched by a part of them or with a letter wrong. A trusted extension: no superuser is needed. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create extension if not exists pg_trgm with schema public`.execute(db);
};
