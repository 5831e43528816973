import type { Kysely } from "kysely";
import { schemaOf } from "./projection.ts";
import { dropSchema } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/**
 * Drops all builds of all read models with their checkpoints, so that the next start folds the whole log. Skipped events
 * stay skipped; other parked events are forgotten. No process may fold projections meanwhile.
 */
export const dropReadModels = (db: Kysely<KernelTables>): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const builds = await trx
      .deleteFrom("projection_checkpoints")
      .returning(["name", "version", "build"])
      .execute();
    for (const { name, version, build } of builds) {
      await dropSchema(trx, schemaOf({ name, version }, build));
    }
    await trx
      .deleteFrom("parked_events")
      .where("consumer", "not like", "reactor:%")
      .where((eb) => eb.or([eb("skipped_at", "is", null), eb("consumer", "like", "%+%")]))
      .execute();
  });
