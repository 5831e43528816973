import { type Kysely, sql } from "kysely";
import type { AnySchema } from "./database/database.ts";

/** How long a lease lasts: takeover within 5 s. */
export const LEASE_SECONDS = 3;

/** One leader among any number of processes, by a lease row. The database's clock decides, so that machines need not agree on the time. */
export type Lease = {
  /** Takes or renews the lease. True while this process leads. */
  hold(): Promise<boolean>;
  /** Gives the lease back, so that another takes over at once. */
  release(): Promise<void>;
};

/** How long a lease lasts: takeover within 5 s. */
export const LEADERSHIP_SECONDS = 3;

/** A lease row named `name`, of 3 s. Rejects when the database is away. */
export const createLease = (db: Kysely<AnySchema>, name: string, holder: string): Lease => ({
  hold: async () => (await holdLeases(db, [name], holder)).has(name),
  release: async () => {
    await db
      .deleteFrom("leaderships")
      .where("name", "=", name)
      .where("holder", "=", holder)
      .execute();
  },
});

/** Takes or renews several leases in one statement; answers those that this holder has now. Rejects when the database is away. */
export const holdLeases = async (
  db: Kysely<AnySchema>,
  names: readonly string[],
  holder: string,
): Promise<ReadonlySet<string>> => {
  // In one order everywhere: two processes that want the same ones do not wait for each other in a circle.
  const sorted = [...names].sort();
  const { rows } = await sql<{ name: string }>`
    insert into leaderships as l (name, holder, expires_at)
    select name, ${holder}::uuid, now() + make_interval(secs => ${LEADERSHIP_SECONDS})
    from unnest(${sorted}::text[]) as name
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where l.holder = excluded.holder or l.expires_at < now()
    returning l.name`.execute(db);
  return new Set(rows.map(({ name }) => name));
};

/**
 * Forgets every leader of before. Only for a process that is the whole deployment and has just
 * started: whoever led is dead, and its lease need not run out first.
 */
export const deleteAllLeases = async (db: Kysely<AnySchema>): Promise<void> => {
  await db.deleteFrom("leaderships").execute();
};
