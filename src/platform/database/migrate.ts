import { type Kysely, Migrator } from "kysely";
import type { AnySchema } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/**
 * Applies the pending migrations of the state tables (all tables except read models). Resolves with their names.
 * Concurrent calls are safe: one process migrates under a database lock, the others wait.
 * Rejects with the name of a failed migration. `only` restricts the migrations by name.
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
    // Contexts have separate number ranges: a later migration may have a smaller number.
    allowUnorderedMigrations: true,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) {
    const failed = results.find((result) => result.status === "Error");
    throw new Error(`Migration ${failed?.migrationName ?? "set-up"} failed`, { cause: error });
  }
  return results.map((result) => result.migrationName);
};
