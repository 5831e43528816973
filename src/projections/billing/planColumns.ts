import type { CreateTableBuilder } from "kysely";
import type { Interval } from "../../domain/billing/calendar.ts";
import type { PlanCode } from "../../domain/billing/catalog.ts";
import { persistentMap } from "../../domain/billing/persistentMap.ts";
import type { CurrentPlan } from "../../domain/billing/planState.ts";
import {
  type ChangeColumns,
  changeColumns,
  changeOfColumns,
  columnsOfChange,
} from "./changeColumns.ts";

/**
 * The plan of an organisation as stored in `organization_plans` and `plan_marks`. The mapping to and from the
 * decider's `CurrentPlan` is explicit, so that renaming a field of the state does not change stored rows.
 */
export type PlanColumns = {
  readonly plan: PlanCode;
  /** The event that set `plan`. */
  readonly set_by: string | null;
  readonly own_plan: PlanCode;
  readonly own_interval: Interval | null;
  readonly own_period_start: string | null;
  readonly own_period_end: string | null;
  readonly own_subscription_id: string | null;
  readonly own_set_by: string | null;
  /** Null: no grant. */
  readonly granted_plan: PlanCode | null;
  /** Null: no grant, or a grant without end. */
  readonly granted_until: string | null;
  readonly grant_set_by: string | null;
  readonly ends_at: string | null;
  readonly open_change: ChangeColumns | null;
};

export const addPlanColumns = <Table extends string, Column extends string>(
  table: CreateTableBuilder<Table, Column>,
): CreateTableBuilder<Table, Column> =>
  table
    .addColumn("plan", "text", (c) => c.notNull())
    .addColumn("set_by", "uuid")
    .addColumn("own_plan", "text", (c) => c.notNull())
    .addColumn("own_interval", "text")
    .addColumn("own_period_start", "timestamptz")
    .addColumn("own_period_end", "timestamptz")
    .addColumn("own_subscription_id", "text")
    .addColumn("own_set_by", "uuid")
    .addColumn("granted_plan", "text")
    .addColumn("granted_until", "timestamptz")
    .addColumn("grant_set_by", "uuid")
    .addColumn("ends_at", "timestamptz")
    .addColumn("open_change", "jsonb") as CreateTableBuilder<Table, Column>;

export const planColumnNames = [
  "plan",
  "set_by",
  "own_plan",
  "own_interval",
  "own_period_start",
  "own_period_end",
  "own_subscription_id",
  "own_set_by",
  "granted_plan",
  "granted_until",
  "grant_set_by",
  "ends_at",
  "open_change",
] as const satisfies readonly (keyof PlanColumns)[];

export const columnsOfPlan = ({
  plan,
  setBy,
  own,
  grant,
  endsAt,
  open,
}: CurrentPlan): PlanColumns => ({
  plan,
  set_by: setBy,
  own_plan: own.terms.plan,
  own_interval: own.terms.interval,
  own_period_start: own.period?.start ?? null,
  own_period_end: own.period?.end ?? null,
  own_subscription_id: own.subscriptionId,
  own_set_by: own.setBy,
  granted_plan: grant?.plan ?? null,
  granted_until: grant?.until ?? null,
  grant_set_by: grant?.setBy ?? null,
  ends_at: endsAt,
  open_change: open && columnsOfChange(open),
});

/**
 * The plan in columns. Of the change requests it contains only the open one; checkouts and merged facts are not
 * stored, because only commands read them. Throws ZodError if `open_change` has another shape.
 */
export const planOfColumns = (columns: PlanColumns): CurrentPlan => {
  const { own_period_start: start, own_period_end: end } = columns;
  const { granted_plan: granted, granted_until: until, grant_set_by: setBy } = columns;
  const open = columns.open_change && changeOfColumns(changeColumns.parse(columns.open_change));
  return {
    status: "active",
    plan: columns.plan,
    setBy: columns.set_by,
    own: {
      terms: { plan: columns.own_plan, interval: columns.own_interval },
      period: start === null || end === null ? null : { start, end },
      subscriptionId: columns.own_subscription_id,
      setBy: columns.own_set_by,
    },
    grant: granted === null || setBy === null ? null : { plan: granted, until, setBy },
    endsAt: columns.ends_at,
    changes: persistentMap(open ? [[open.id, open]] : []),
    open,
    checkouts: new Map(),
    subscriptions: new Map(),
    facts: persistentMap(),
    attention: new Map(),
    attended: persistentMap(),
  };
};
