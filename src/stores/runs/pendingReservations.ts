import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** A run whose quota is reserved and that is not queued yet. */
export type PendingReservation = {
  readonly runId: string;
  readonly organizationId: string;
  /** The month it was reserved from, `yyyymm`. */
  readonly period: string;
};

export type PendingReservations = {
  add(pending: readonly PendingReservation[], reservedAt: string): Promise<void>;
  remove(runId: string): Promise<void>;
  listOlderThan(seconds: number): Promise<readonly PendingReservation[]>;
};

/** Reservations whose run is still to come: the request may have died in between. */
export const pendingReservations = (db: Database["db"]): PendingReservations => ({
  add: async (pending, reservedAt) => {
    if (pending.length === 0) return;
    await db
      .insertInto("pending_reservations")
      .values(
        pending.map((one) => ({
          run_id: one.runId,
          organization_id: one.organizationId,
          period: one.period,
          reserved_at: reservedAt,
        })),
      )
      .onConflict((conflict) => conflict.column("run_id").doNothing())
      .execute();
  },
  remove: async (runId) => {
    await db.deleteFrom("pending_reservations").where("run_id", "=", runId).execute();
  },
  listOlderThan: async (seconds) => {
    const { rows } = await sql<{ run_id: string; organization_id: string; period: string }>`
      select run_id, organization_id, period from pending_reservations
      where reserved_at < now() - make_interval(secs => ${seconds})`.execute(db);
    return rows.map((row) => ({
      runId: row.run_id,
      organizationId: row.organization_id,
      period: row.period,
    }));
  },
});
