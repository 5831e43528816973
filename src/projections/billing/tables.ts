import type { Kysely } from "kysely";
import type { Marking } from "../../domain/billing/planMarks.ts";
import type { CurrentPlan } from "../../domain/billing/planState.ts";
import type { ProviderName } from "../../domain/billing/subscription.ts";
import type { ChangeColumns } from "./changeColumns.ts";
import { createPlanMarks, type PlanMarksTables } from "./marks.ts";
import {
  addPlanColumns,
  columnsOfPlan,
  type PlanColumns,
  planColumnNames,
  planOfColumns,
} from "./planColumns.ts";
import { columnsOfProviders, type ProviderColumns, providersOfColumns } from "./providerColumns.ts";

/** The position of a plan's history: the lines counted so far, and the bounds of those since the last mark. */
type MarkingColumns = {
  readonly history_length: number;
  readonly history_hash: string | null;
  readonly unmarked_occurred_from: string | null;
  readonly unmarked_occurred_to: string | null;
  readonly unmarked_recorded_from: string | null;
  readonly unmarked_recorded_to: string | null;
};

/** The columns of `organization_plans` from which the decider's state is restored. */
export type PlanStateColumns = PlanColumns & ProviderColumns;

export type BillingTables = PlanMarksTables & {
  organization_plans: PlanStateColumns &
    MarkingColumns & {
      readonly organization_id: string;
      /** When the plan was set. */
      readonly since: string | null;
      /** When time alone next changes the plan. */
      readonly next_due_at: string | null;
    };
  plan_changes: ChangeColumns & {
    readonly organization_id: string;
    /** Why the change failed. */
    readonly reason: string | null;
  };
  plan_subscriptions: {
    readonly provider: ProviderName;
    readonly subscription_id: string;
    readonly organization_id: string;
  };
};

export const billingTables = [
  "organization_plans",
  "plan_changes",
  "plan_subscriptions",
  "plan_marks",
] as const satisfies readonly (keyof BillingTables)[];

export const createBillingTables = async (db: Kysely<unknown>): Promise<void> => {
  await addPlanColumns(
    db.schema
      .createTable("organization_plans")
      .addColumn("organization_id", "uuid", (c) => c.primaryKey()),
  )
    .addColumn("subscriptions", "jsonb", (c) => c.notNull())
    .addColumn("attention", "jsonb", (c) => c.notNull())
    .addColumn("attended", "jsonb", (c) => c.notNull())
    .addColumn("since", "timestamptz")
    .addColumn("next_due_at", "timestamptz")
    .addColumn("history_length", "integer", (c) => c.notNull())
    .addColumn("history_hash", "text")
    .addColumn("unmarked_occurred_from", "timestamptz")
    .addColumn("unmarked_occurred_to", "timestamptz")
    .addColumn("unmarked_recorded_from", "timestamptz")
    .addColumn("unmarked_recorded_to", "timestamptz")
    .execute();
  await db.schema
    .createIndex("organization_plans_due")
    .on("organization_plans")
    .column("next_due_at")
    .execute();
  await db.schema
    .createTable("plan_changes")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("from_plan", "text", (c) => c.notNull())
    .addColumn("from_interval", "text")
    .addColumn("to_plan", "text", (c) => c.notNull())
    .addColumn("to_interval", "text")
    .addColumn("timing", "text", (c) => c.notNull())
    .addColumn("due_cents", "integer", (c) => c.notNull())
    .addColumn("lines", "jsonb", (c) => c.notNull())
    .addColumn("effective_at", "timestamptz", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .addColumn("reason", "text")
    .execute();
  await db.schema
    .createTable("plan_subscriptions")
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("subscription_id", "text", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addPrimaryKeyConstraint("plan_subscriptions_pkey", ["provider", "subscription_id"])
    .execute();
  await createPlanMarks(db);
};

export const planStateColumnNames = [
  ...planColumnNames,
  "subscriptions",
  "attention",
  "attended",
] as const satisfies readonly (keyof PlanStateColumns)[];

export const columnsOfState = (state: CurrentPlan): PlanStateColumns => ({
  ...columnsOfPlan(state),
  ...columnsOfProviders(state),
});

/** Restores the decider's state, without finished changes, checkouts and merged facts. Throws ZodError on another shape. */
export const stateOfColumns = (columns: PlanStateColumns): CurrentPlan => ({
  ...planOfColumns(columns),
  ...providersOfColumns(columns),
});

export const markingColumnNames = [
  "history_length",
  "history_hash",
  "unmarked_occurred_from",
  "unmarked_occurred_to",
  "unmarked_recorded_from",
  "unmarked_recorded_to",
] as const satisfies readonly (keyof MarkingColumns)[];

export const columnsOfMarking = ({ sequence, hash, bounds }: Marking): MarkingColumns => ({
  history_length: sequence,
  history_hash: hash,
  unmarked_occurred_from: bounds?.occurredFrom ?? null,
  unmarked_occurred_to: bounds?.occurredTo ?? null,
  unmarked_recorded_from: bounds?.recordedFrom ?? null,
  unmarked_recorded_to: bounds?.recordedTo ?? null,
});

export const markingOfColumns = (columns: MarkingColumns): Marking => {
  const { unmarked_occurred_from: occurredFrom, unmarked_occurred_to: occurredTo } = columns;
  const { unmarked_recorded_from: recordedFrom, unmarked_recorded_to: recordedTo } = columns;
  const isBounded =
    occurredFrom !== null && occurredTo !== null && recordedFrom !== null && recordedTo !== null;
  return {
    sequence: columns.history_length,
    hash: columns.history_hash,
    bounds: isBounded ? { occurredFrom, occurredTo, recordedFrom, recordedTo } : null,
  };
};
