import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** The duration of a lease in seconds; it is renewed every 3 s. */
export const LEASE_SECONDS = 10;

/** The names of agents begin so: workers that are no processes of the deployment. */
export const AGENT = "agent:";

/** A delivery of an execution, as a worker holds it. */
export type Held = { readonly executionId: string; readonly delivery: number };

/** Leases of executions. They are not in the log because renewals are not facts. */
export type Leases = {
  /** True when the worker has the lease now: it was free, had run out, or was its own. */
  take(held: Held, worker: string): Promise<boolean>;
  /** Renews all leases of a worker; returns the ones that it still holds. */
  renew(worker: string): Promise<readonly Held[]>;
  release(held: Held, worker: string): Promise<void>;
  /** Takes away the leases that have run out and answers them: their holders cannot renew them any more. */
  takeExpired(): Promise<readonly Held[]>;
  /** Deletes the leases of a worker except for the given executions, because it has lost the others. */
  dropOthersOf(worker: string, kept: readonly string[]): Promise<void>;
  /**
   * Deletes every lease that this worker does not hold: in a deployment of one process the others belong to its dead
   * predecessors. Leases of agents stay, because agents reconnect.
   */
  takeOthers(worker: string): Promise<readonly Held[]>;
};

/** The table of leases. The database's clock decides when one has run out. */
export const executionLeases = (db: Database["db"]): Leases => ({
  take: async ({ executionId, delivery }, worker) => {
    const { rows } = await sql`
      insert into execution_leases (execution_id, delivery, worker, expires_at)
      values (${executionId}, ${delivery}, ${worker}, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (execution_id, delivery) do update
        set worker = excluded.worker, expires_at = excluded.expires_at
        where execution_leases.worker = excluded.worker or execution_leases.expires_at < now()
      returning worker`.execute(db);
    return rows.length > 0;
  },
  renew: async (worker) => {
    const { rows } = await sql<LeaseRow>`
      update execution_leases set expires_at = now() + make_interval(secs => ${LEASE_SECONDS})
      where worker = ${worker} and expires_at > now()
      returning execution_id, delivery`.execute(db);
    return rows.map(toHeld);
  },
  release: async ({ executionId, delivery }, worker) => {
    await db
      .deleteFrom("execution_leases")
      .where("execution_id", "=", executionId)
      .where("delivery", "=", delivery)
      .where("worker", "=", worker)
      .execute();
  },
  takeExpired: async () => {
    const { rows } = await sql<LeaseRow>`
      delete from execution_leases where expires_at < now()
      returning execution_id, delivery`.execute(db);
    return rows.map(toHeld);
  },
  dropOthersOf: async (worker, kept) => {
    await sql`
      delete from execution_leases
      where worker = ${worker} and execution_id <> all(${[...kept]}::uuid[])`.execute(db);
  },
  takeOthers: async (worker) => {
    const { rows } = await sql<LeaseRow>`
      delete from execution_leases where worker <> ${worker} and not starts_with(worker, ${AGENT})
      returning execution_id, delivery`.execute(db);
    return rows.map(toHeld);
  },
});

type LeaseRow = { execution_id: string; delivery: number };

const toHeld = (row: LeaseRow): Held => ({
  executionId: row.execution_id,
  delivery: row.delivery,
});
