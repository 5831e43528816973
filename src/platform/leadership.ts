import { type Kysely, sql } from "kysely";
import type { AnySchema } from "./database/database.ts";

/** How long a lease lasts: takeover within 5 s. */
export const LEASE_SECONDS = 3;

/** One leader among any number of processes, by a lease row. The database's clock decides, so that machines need not agree on the time. */
export type Leadership = {
  /** Takes or renews the lease. True while this process leads. */
  hold(): Promise<boolean>;
  /** Gives the lease back, so that another takes over at once. */
  release(): Promise<void>;
};

/** How long a lease lasts: takeover within 5 s. */
export const LEADERSHIP_SECONDS = 3;

/** A lease row named `name`, of 3 s. Rejects when the database is away. */
export const leadership = (db: Kysely<AnySchema>, name: string, holder: string): Leadership => ({
  hold: async () => {
    const expires = sql<string>`now() + make_interval(secs => ${LEADERSHIP_SECONDS})`;
    const row = await db
      .insertInto("leaderships")
      .values({ name, holder, expires_at: expires })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet({ holder, expires_at: expires })
          .where((eb) =>
            eb.or([
              eb("leaderships.holder", "=", holder),
              eb("leaderships.expires_at", "<", sql<string>`now()`),
            ]),
          ),
      )
      .returning("name")
      .executeTakeFirst();
    return row !== undefined;
  },
  release: async () => {
    await db
      .deleteFrom("leaderships")
      .where("name", "=", name)
      .where("holder", "=", holder)
      .execute();
  },
});

/**
 * Forgets every leader of before. Only for a process that is the whole deployment and has just
 * started: whoever led is dead, and its lease need not run out first.
 */
export const forgetLeaders = async (db: Kysely<AnySchema>): Promise<void> => {
  await db.deleteFrom("leaderships").execute();
};
