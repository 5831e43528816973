import { type Kysely, sql } from "kysely";
import { type Projection, schemaOf } from "./projection.ts";
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
