import { type Kysely, sql } from "kysely";
import type { PlanCode } from "../../domain/billing/catalog.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import {
  type ChangeRequest,
  type CurrentPlan,
  currentPlan,
} from "../../domain/billing/planState.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import { changeOfColumns } from "./changeColumns.ts";
import { type BillingTables, planStateColumnNames, stateOfColumns } from "./tables.ts";

/** Queries on the billing read model. */
export const billingQueries = (db: Kysely<BillingTables>) => ({
  /** The plan in force. The free plan if none has started. */
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

  /** The state of a plan, without finished changes, checkouts and merged facts. */
  currentPlan: async (organizationId: string): Promise<CurrentPlan> => {
    const row = await db
      .selectFrom("organization_plans")
      .select(planStateColumnNames)
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
    return row ? stateOfColumns(row) : currentPlan(planDecider.initial);
  },

  /** A change request of any organisation, null if there is none. */
  findChange: async (
    id: string,
  ): Promise<{ organizationId: string; change: ChangeRequest } | null> => {
    const row = await db
      .selectFrom("plan_changes")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? { organizationId: row.organization_id, change: changeOfColumns(row) } : null;
  },

  organizationOfSubscription: (provider: ProviderName, subscriptionId: string) =>
    organizationOfSubscription(db, provider, subscriptionId),

  /** Organisations whose plan is due for a change by time, the longest overdue first. */
  listDue: async (at: string, limit: number): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom("organization_plans")
      .select("organization_id")
      .where("next_due_at", "<=", sql<string>`${at}::timestamptz`)
      .orderBy("next_due_at")
      .limit(limit)
      .execute();
    return rows.map((row) => row.organization_id);
  },
});

export type BillingQueries = ReturnType<typeof billingQueries>;

/** The owner of a provider's subscription, null if no event has named it yet. */
const organizationOfSubscription = async (
  db: Kysely<BillingTables>,
  provider: ProviderName,
  subscriptionId: string,
): Promise<string | null> => {
  const row = await db
    .selectFrom("plan_subscriptions")
    .select("organization_id")
    .where("provider", "=", provider)
    .where("subscription_id", "=", subscriptionId)
    .executeTakeFirst();
  return row?.organization_id ?? null;
};
