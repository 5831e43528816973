import { sql } from "kysely";
import { numberOfDay, spansSince } from "../../domain/dashboard/spans.ts";
import type { Database } from "../../platform/database/database.ts";

export type DashboardDb = Database["db"];

/** The scope of a dashboard: an organisation, or one of its projects, from a day (UTC) on. */
export type DashboardScope = {
  readonly organizationId: string;
  readonly projectId: string | null;
  /** `YYYY-MM-DD`. */
  readonly since: string;
  /** Now (ISO 8601), which decides whether a quarantine is active. */
  readonly at: string;
};

export const ofProject = ({ projectId }: DashboardScope, column = "project") =>
  projectId === null ? sql`true` : sql`${sql.ref(column)} = ${projectId}`;

/** A test as the dashboard names it. */
export type NamedTest = {
  readonly test_id: string;
  readonly name: string;
  /** `import`: known only from imported results. */
  readonly source: "own" | "import";
  readonly quarantined: boolean;
};

/** The sums of each test since the scope's day, from as few spans as cover it. */
export const spansOf = (scope: DashboardScope) =>
  sql.join(
    spansSince(numberOfDay(scope.since)).map(
      ({ span, from, before }) => sql`
          select test_id, judged, signs, timed, total_ms, longest_ms from dashboard_test_spans
          where organization_id = ${scope.organizationId} and span = ${span}
            and first_day >= ${from} and ${before === null ? sql`true` : sql`first_day < ${before}`}
            and ${ofProject(scope)}`,
    ),
    sql` union all `,
  );

/** Joins rows that have a `test_id` with their tests. Omits deleted tests. */
export const withNames = (
  rows: ReturnType<typeof sql>,
  { organizationId, at }: DashboardScope,
) => sql`
  select r.*, coalesce(t.name, i.name) as name,
    case when t.id is null then 'import' else 'own' end as source,
    q.test_id is not null as quarantined
  from (${rows}) as r
  left join tests as t
    on t.id = r.test_id and t.organization_id = ${organizationId} and t.deleted_at is null
  left join imported_tests as i on i.id = r.test_id and i.organization_id = ${organizationId}
  left join quarantines as q on q.test_id = r.test_id and q.until > ${at}
  where coalesce(t.id, i.id) is not null`;
