import { type Kysely, Migrator } from "kysely";
import type { AnySchema } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/**
 * Brings the tables of the state (everything that no projection owns) up to date; returns the names applied.
 * Safe with several processes starting at once: one migrates under a lock in the database, the others wait for it.
 * Rejects with the migration's name when one fails; each process start tries again. `only`: those of these names alone.
 */
export const migrate = async (
  db: Kysely<AnySchema>,
  only?: readonly string[],
): Promise<readonly string[]> => {
  const wanted = Object.entries(migrations).filter(([name]) => only?.includes(name) ?? true);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(wanted) },
    migrationTableName: "migrations",
    migrationLockTableName: "migrations_lock",
    // Slices number theirs apart: one that arrives later may have the smaller number.
    allowUnorderedMigrations: true,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === "Error");
    throw new Error(`Migration ${failed?.migrationName ?? "set-up"} failed`, { cause: error });
  }
  return results.map((result) => result.migrationName);
};
