import type { Kysely } from "kysely";
import type { PlanCode } from "../domain/billing/catalog.ts";
import { type PlanEvent, planDecider } from "../domain/billing/plan.ts";
import { defineProjection, type Handler } from "./kernel/projection.ts";

export type BillingTables = {
  organization_plans: {
    organization_id: string;
    plan: PlanCode;
    /** The event that set it. */
    set_by: string;
    since: string;
  };
};

type PlanSet = Extract<PlanEvent, { type: "PlanStarted" | "PlanGranted" }>;

const setPlan: Handler<BillingTables, PlanSet> = async (db, event) => {
  const row = {
    plan: event.data.plan,
    set_by: event.data.changeId,
    since: event.metadata.occurred_at,
  };
  await db
    .insertInto("organization_plans")
    .values({ organization_id: event.stream.slice(event.stream.indexOf("-") + 1), ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
};

export const billingProjection = defineProjection<BillingTables, PlanEvent>({
  name: "billing",
  version: 1,
  tables: ["organization_plans"],
  create: async (db) => {
    await db.schema
      .createTable("organization_plans")
      .addColumn("organization_id", "uuid", (c) => c.primaryKey())
      .addColumn("plan", "text", (c) => c.notNull())
      .addColumn("set_by", "uuid", (c) => c.notNull())
      .addColumn("since", "timestamptz", (c) => c.notNull())
      .execute();
  },
  codecs: [planDecider.codec],
  on: { PlanStarted: setPlan, PlanGranted: setPlan },
});

/** Plans of organisations, as the read model has them. */
export const billingQueries = (db: Kysely<BillingTables>) => ({
  /** The plan in force; the free one before any was set. */
  planOf: async (
    organizationId: string,
  ): Promise<{ plan: PlanCode; setBy: string | null; since: string | null }> => {
    const row = await db
      .selectFrom("organization_plans")
      .select(["plan", "set_by", "since"])
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row
      ? { plan: row.plan, setBy: row.set_by, since: row.since }
      : { plan: "free", setBy: null, since: null };
  },
});

export type BillingQueries = ReturnType<typeof billingQueries>;
