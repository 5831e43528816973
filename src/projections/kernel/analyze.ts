import { type Kysely, sql } from "kysely";
import { type Projection, schemaOf } from "./projection.ts";
import { loadShown } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/**
 * Tells the planner what is in a build's tables. It knows nothing of those that were just filled, and would read all
 * tests of an organisation for a page of them until PostgreSQL looks at the tables by itself, a minute later.
 */
export const analyze = async (
  db: Kysely<KernelTables>,
  projection: Projection,
  build: number,
): Promise<void> => {
  for (const table of projection.tables) {
    await sql`analyze ${sql.id(schemaOf(projection, build), table)}`.execute(db);
  }
};

/** A table that was never looked at is worth it from so many rows on. */
const FIRST_ROWS = 50;
/** One that was, when it has changed as much as it holds, and by so many rows at least. */
const AGAIN_ROWS = 1_000;

/**
 * Tells the planner of the tables of what is shown that have grown since it last heard of them. PostgreSQL does so by
 * itself, but looks once a minute: until then a page of an organisation's tests is found by reading all of them, as
 * the planner takes it to have three. Answers the tables.
 */
export const analyzeGrown = async (
  db: Kysely<KernelTables>,
  projections: readonly Projection[],
): Promise<readonly string[]> => {
  const shown = await loadShown(db, projections);
  const schemas = shown.map(({ projection, build }) => schemaOf(projection, build));
  const { rows } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, relname as name from pg_stat_user_tables
    where schemaname = any(${schemas}) and n_mod_since_analyze >= case
      when last_analyze is null and last_autoanalyze is null then ${FIRST_ROWS}
      else greatest(${AGAIN_ROWS}, n_live_tup)
    end
    order by schemaname, relname`.execute(db);
  for (const { schema, name } of rows) await sql`analyze ${sql.id(schema, name)}`.execute(db);
  return rows.map(({ schema, name }) => `${schema}.${name}`);
};
