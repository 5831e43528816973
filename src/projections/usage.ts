import type { Kysely } from "kysely";
import { type RunEvent, runDecider } from "../domain/runs/run.ts";
import type { Period } from "../domain/usage/period.ts";
import { type RefusalReceipt, type UsageEvent, usageDecider } from "../domain/usage/usage.ts";
import type { RecordedEvent } from "../platform/eventLog/port.ts";
import { defineProjection } from "./kernel/projection.ts";

export type UsageTables = {
  usage_months: { organization_id: string; period: Period; used: number; reserved: number };
  /** What is reserved for a run, until it is known that the run was queued. */
  unqueued_reservations: {
    run_id: string;
    organization_id: string;
    period: Period;
    reserved_at: string;
  };
  usage_refusals: {
    id: string;
    organization_id: string;
    period: Period;
    refused_at: string;
    receipt: unknown;
  };
};

export const usageProjection = defineProjection<UsageTables, UsageEvent | RunEvent>({
  name: "usage",
  version: 1,
  tables: ["usage_months", "unqueued_reservations", "usage_refusals"],
  create: async (db) => {
    await db.schema
      .createTable("usage_months")
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("period", "text", (c) => c.notNull())
      .addColumn("used", "integer", (c) => c.notNull())
      .addColumn("reserved", "integer", (c) => c.notNull())
      .addPrimaryKeyConstraint("usage_months_pkey", ["organization_id", "period"])
      .execute();
    await db.schema
      .createTable("unqueued_reservations")
      .addColumn("run_id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("period", "text", (c) => c.notNull())
      .addColumn("reserved_at", "timestamptz", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("usage_refusals")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("period", "text", (c) => c.notNull())
      .addColumn("refused_at", "timestamptz", (c) => c.notNull())
      .addColumn("receipt", "jsonb", (c) => c.notNull())
      .execute();
  },
  codecs: [usageDecider.codec, runDecider.codec],
  on: {
    RunsReserved: async (db, event) => {
      const { organizationId, period } = monthOf(event);
      await setTotals(db, event);
      await db
        .insertInto("unqueued_reservations")
        .values(
          event.data.runs.map(({ runId }) => ({
            run_id: runId,
            organization_id: organizationId,
            period,
            reserved_at: event.metadata.occurred_at,
          })),
        )
        .execute();
    },
    ReservationUsed: (db, event) => setTotals(db, event),
    ReservationReleased: async (db, event) => {
      await setTotals(db, event);
      if (event.data.executionId === null) await forget(db, event.data.runId);
    },
    RunsRefused: async (db, event) => {
      const { organizationId, period } = monthOf(event);
      await db
        .insertInto("usage_refusals")
        .values({
          id: event.data.refusalId,
          organization_id: organizationId,
          period,
          refused_at: event.metadata.occurred_at,
          receipt: JSON.stringify(event.data),
        })
        .execute();
    },
    RunQueued: (db, event) => forget(db, event.data.runId),
  },
});

type Db = Kysely<UsageTables>;

/** Whose month a stream `usage-{organizationId}_{yyyymm}` is. */
const monthOf = (event: RecordedEvent): { organizationId: string; period: Period } => {
  const [organizationId = "", period = ""] = event.stream.slice("usage-".length).split("_");
  return { organizationId, period };
};

const setTotals = async (
  db: Db,
  event: RecordedEvent<{ readonly used: number; readonly reserved: number }>,
): Promise<void> => {
  const { organizationId, period } = monthOf(event);
  const { used, reserved } = event.data;
  await db
    .insertInto("usage_months")
    .values({ organization_id: organizationId, period, used, reserved })
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "period"]).doUpdateSet({ used, reserved }),
    )
    .execute();
};

const forget = async (db: Db, runId: string): Promise<void> => {
  await db.deleteFrom("unqueued_reservations").where("run_id", "=", runId).execute();
};

/** Usage of the monthly quota and the receipts of refusals. */
export const usageQueries = (db: Db) => ({
  usageOf: async (
    organizationId: string,
    period: Period,
  ): Promise<{ used: number; reserved: number }> => {
    const row = await db
      .selectFrom("usage_months")
      .select(["used", "reserved"])
      .where("organization_id", "=", organizationId)
      .where("period", "=", period)
      .executeTakeFirst();
    return row ?? { used: 0, reserved: 0 };
  },
  /** The receipt of a refusal, whosever it is; null when there is none. */
  findRefusal: async (
    id: string,
  ): Promise<{
    organizationId: string;
    period: Period;
    refusedAt: string;
    receipt: RefusalReceipt;
  } | null> => {
    const row = await db
      .selectFrom("usage_refusals")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return null;
    return {
      organizationId: row.organization_id,
      period: row.period,
      refusedAt: row.refused_at,
      receipt: row.receipt as RefusalReceipt,
    };
  },
  /** Reservations older than a moment (ISO 8601) whose run was not queued: the watchdog releases them. */
  unqueuedReservations: async (
    reservedBefore: string,
    limit: number,
  ): Promise<{ organizationId: string; period: Period; runId: string }[]> => {
    const rows = await db
      .selectFrom("unqueued_reservations")
      .select(["organization_id", "period", "run_id"])
      .where("reserved_at", "<", reservedBefore)
      .orderBy("reserved_at")
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      organizationId: row.organization_id,
      period: row.period,
      runId: row.run_id,
    }));
  },
});

export type UsageQueries = ReturnType<typeof usageQueries>;
