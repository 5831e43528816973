import { type Kysely, sql } from "kysely";
import { type Projection, schemaOf } from "./projection.ts";
import { loadShown } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/**
 * Updates the planner's statistics of a new build's tables. Without them, queries scan large tables until autovacuum
 * analyzes them, up to a minute later.
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

/** The minimum of changed rows for the first analysis of a table. */
const FIRST_ROWS = 50;
/** The minimum of changed rows for later analyses: as many as the table has, and at least these. */
const AGAIN_ROWS = 1_000;

/**
 * Updates the planner's statistics of shown tables that have grown since the last analysis. Autovacuum would do that
 * only once a minute. Resolves with the names of the analyzed tables.
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
