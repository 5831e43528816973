import type { Kysely } from "kysely";
import type { Period } from "../../domain/usage/period.ts";
import type { Principal } from "../../domain/usage/spender.ts";
import { type RefusalReceipt, type UsageEvent, usageDecider } from "../../domain/usage/usage.ts";
import type { Database } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { defineBatchProjection, type Recorded } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";
import { triggeredBy } from "../runs/triggeredBy.ts";
import { createUsageDays, foldUsageDays, type UsageDayTables, usageDayQueries } from "./days.ts";

export type UsageTables = UsageDayTables & {
  usage_months: { organization_id: string; period: Period; used: number; reserved: number };
  usage_refusals: {
    id: string;
    organization_id: string;
    period: Period;
    refused_at: string;
    receipt: unknown;
  };
  usage_refunds: {
    execution_id: string;
    run_id: string;
    organization_id: string;
    refunded_at: string;
    by: unknown;
    reason: string;
  };
};

export const usageProjection = defineBatchProjection<UsageTables, UsageEvent>({
  name: "usage",
  version: 3,
  tables: ["usage_months", "usage_refusals", "usage_days", "usage_reservations", "usage_refunds"],
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
      .createTable("usage_refusals")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("period", "text", (c) => c.notNull())
      .addColumn("refused_at", "timestamptz", (c) => c.notNull())
      .addColumn("receipt", "jsonb", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("usage_refunds")
      .addColumn("execution_id", "uuid", (c) => c.primaryKey())
      .addColumn("run_id", "uuid", (c) => c.notNull())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("refunded_at", "timestamptz", (c) => c.notNull())
      .addColumn("by", "jsonb", (c) => c.notNull())
      .addColumn("reason", "text", (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex("usage_refunds_by_time")
      .on("usage_refunds")
      .columns(["organization_id", "refunded_at"])
      .execute();
    await createUsageDays(db);
  },
  codecs: [usageDecider.codec],
  types: ["RunsReserved", "ReservationUsed", "ReservationReleased", "UnitRefunded", "RunsRefused"],
  fold: async (into, events) => {
    const months = new Map<string, UsageTables["usage_months"]>();
    const refusals: UsageTables["usage_refusals"][] = [];
    const refunds: UsageTables["usage_refunds"][] = [];
    for (const event of events) {
      const month = monthOf(event);
      if (event.type === "RunsRefused") {
        refusals.push({
          id: event.data.refusalId,
          ...month,
          refused_at: event.metadata.occurred_at,
          receipt: event.data,
        });
      } else {
        const { used, reserved } = event.data;
        months.set(event.stream, { ...month, used, reserved });
        if (event.type === "UnitRefunded") refunds.push(refundOf(event, month.organization_id));
      }
    }
    await insertRows(into, "usage_months", [...months.values()], {
      key: ["organization_id", "period"],
      set: ["used", "reserved"],
    });
    await insertRows(into, "usage_refusals", refusals, "refuse");
    await insertRows(into, "usage_refunds", refunds, "refuse");
    await foldUsageDays(into, events, organizationOf);
  },
});

const refundOf = (
  { data, metadata }: Recorded<Extract<UsageEvent, { type: "UnitRefunded" }>>,
  organizationId: string,
): UsageTables["usage_refunds"] => ({
  execution_id: data.executionId,
  run_id: data.runId,
  organization_id: organizationId,
  refunded_at: metadata.occurred_at,
  by: data.by,
  reason: data.reason,
});

/** The organisation and month of a stream `usage-{organizationId}_{yyyymm}`. */
const monthOf = (event: RecordedEvent): { organization_id: string; period: Period } => {
  const [organizationId = "", period = ""] = event.stream.slice("usage-".length).split("_");
  return { organization_id: organizationId, period };
};

const organizationOf = (stream: string): string =>
  stream.slice("usage-".length, stream.lastIndexOf("_"));

/** Queries on the monthly quota and the receipts of refusals. */
export const usageQueries = (db: Database["db"]) => ({
  ...usageDayQueries(db),

  /** Renders principals of receipts. */
  triggeredBy: (actors: readonly Principal[]) => triggeredBy(db, actors),

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
  refundsOf: refundsOf.bind(null, db),

  /** The receipt of a refusal in any organisation, null if there is none. */
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
});

/** The receipt of a unit that was given back. */
type Refund = {
  readonly executionId: string;
  readonly runId: string;
  readonly at: string;
  readonly by: Principal;
  readonly reason: string;
};

/** Units given back from day `from` to day `to`, inclusive (`2025-11-21`), oldest first. */
const refundsOf = async (
  db: Kysely<UsageTables>,
  organizationId: string,
  from: string,
  to: string,
): Promise<readonly Refund[]> => {
  const rows = await db
    .selectFrom("usage_refunds")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("refunded_at", ">=", `${from}T00:00:00.000Z`)
    .where("refunded_at", "<=", `${to}T23:59:59.999Z`)
    .orderBy("refunded_at")
    .orderBy("execution_id")
    .execute();
  return rows.map((row) => ({
    executionId: row.execution_id,
    runId: row.run_id,
    at: row.refunded_at,
    by: row.by as Principal,
    reason: row.reason,
  }));
};

export type UsageQueries = ReturnType<typeof usageQueries>;
