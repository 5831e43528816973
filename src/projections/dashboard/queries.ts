import { sql } from "kysely";
import type { AllTotals } from "../../domain/runs/verdict.ts";
import { activityOf } from "./activity.ts";
import { type DashboardDb, type DashboardScope, ofProject } from "./scope.ts";
import { failingLongest, slowAndFlaky } from "./tests.ts";

export type DayTotals = AllTotals & { readonly day: string };
export type DashboardQueries = ReturnType<typeof dashboardQueries>;

/** Queries of the dashboard on daily sums. */
export const dashboardQueries = (db: DashboardDb) => ({
  daysOf: (scope: DashboardScope) => daysOf(db, scope),
  slowAndFlaky: (scope: DashboardScope) => slowAndFlaky(db, scope),
  failingLongest: (scope: DashboardScope) => failingLongest(db, scope),
  activityOf: (scope: DashboardScope) => activityOf(db, scope),
});

/** The totals of each day with executions, oldest first. */
const daysOf = async (db: DashboardDb, scope: DashboardScope): Promise<DayTotals[]> => {
  const { rows } = await sql<DayTotals>`
    select day, sum(passed)::int as passed, sum(flaky)::int as flaky, sum(failed)::int as failed,
      sum(errored)::int as errored, sum(cancelled)::int as cancelled,
      sum(quarantined)::int as quarantined
    from dashboard_days
    where organization_id = ${scope.organizationId} and day >= ${scope.since}
      and ${ofProject(scope)}
    group by day order by day`.execute(db);
  return rows;
};
