import { type Kysely, sql } from "kysely";
import { numberOfDay, spansSince } from "../../domain/dashboard/spans.ts";
import type { Actor } from "../../domain/kernel/events.ts";
import type { AllTotals } from "../../domain/runs/verdict.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Trigger, triggeredBy } from "../runs/triggeredBy.ts";
import type { DashboardTables } from "./tables.ts";

/** What is looked at: an organisation, or one of its projects, from a day (UTC) on. */
export type Looked = {
  readonly organizationId: string;
  readonly projectId: string | null;
  /** `YYYY-MM-DD`. */
  readonly since: string;
  /** Now (ISO 8601): by it is decided what is in quarantine. */
  readonly at: string;
};

export type DayTotals = AllTotals & { readonly day: string };

/** A test as the dashboard names it. */
type Named = {
  readonly test_id: string;
  readonly name: string;
  /** `import`: known from results of other tools alone. */
  readonly source: "own" | "import";
  readonly quarantined: boolean;
};

export type SlowTest = Named & {
  readonly executions: number;
  readonly average_ms: number;
  readonly longest_ms: number;
};
export type FlakyTest = Named & {
  readonly executions: number;
  readonly signs: number;
  readonly score: number;
};
export type FailingTest = Named & {
  readonly status: "failed" | "errored";
  readonly last_execution_id: string;
  readonly since: {
    readonly at: string;
    readonly run_id: string;
    readonly execution_id: string;
    readonly event_id: string;
  };
};
export type ActivityLine = {
  readonly at: string;
  readonly event: string;
  readonly by: string;
  readonly run: { readonly id: string; readonly status: string } | null;
  readonly test: { readonly id: string; readonly name: string } | null;
};

/** So many of each kind are shown. */
const SHOWN = 10;
/** More are taken first: some of them may be deleted by now. */
const TAKEN = 40;
const ACTIVITY = 20;
/** Of a project's, so many lines of the organisation are looked through. */
const LOOKED_THROUGH = 500;

export type DashboardQueries = ReturnType<typeof dashboardQueries>;

/** What the dashboard shows, from sums by the day. */
export const dashboardQueries = (database: Database["db"]) => {
  const db = database as unknown as Kysely<DashboardTables>;

  const ofProject = ({ projectId }: Looked, column = "project") =>
    projectId === null ? sql`true` : sql`${sql.ref(column)} = ${projectId}`;

  /** What is told of tests from the day on, by as few spans as hold it. */
  const spansOf = (looked: Looked) =>
    sql.join(
      spansSince(numberOfDay(looked.since)).map(
        ({ span, from, before }) => sql`
            select test_id, judged, signs, timed, total_ms, longest_ms from dashboard_test_spans
            where organization_id = ${looked.organizationId} and span = ${span}
              and first_day >= ${from} and ${before === null ? sql`true` : sql`first_day < ${before}`}
              and ${ofProject(looked)}`,
      ),
      sql` union all `,
    );

  /** Of rows with a `test_id`, those whose test is there, with its name. */
  const named = (rows: ReturnType<typeof sql>, { organizationId, at }: Looked) => sql`
    select r.*, coalesce(t.name, i.name) as name,
      case when t.id is null then 'import' else 'own' end as source,
      q.test_id is not null as quarantined
    from (${rows}) as r
    left join tests as t
      on t.id = r.test_id and t.organization_id = ${organizationId} and t.deleted_at is null
    left join imported_tests as i on i.id = r.test_id and i.organization_id = ${organizationId}
    left join quarantines as q on q.test_id = r.test_id and q.until > ${at}
    where coalesce(t.id, i.id) is not null`;

  return {
    /** The totals of each day that has any, the earliest first. */
    daysOf: async (looked: Looked): Promise<DayTotals[]> => {
      const { rows } = await sql<DayTotals>`
        select day, sum(passed)::int as passed, sum(flaky)::int as flaky, sum(failed)::int as failed,
          sum(errored)::int as errored, sum(cancelled)::int as cancelled,
          sum(quarantined)::int as quarantined
        from dashboard_days
        where organization_id = ${looked.organizationId} and day >= ${looked.since}
          and ${ofProject(looked)}
        group by day order by day`.execute(db);
      return rows;
    },

    /** The tests that take longest on average, and those with the most signs of flakiness for their executions. */
    slowAndFlaky: async (
      looked: Looked,
    ): Promise<{ readonly slow: SlowTest[]; readonly flaky: FlakyTest[] }> => {
      const ranked = sql`
        select * from (
          (select 'slow' as kind, test_id, timed as executions, 0 as signs,
             total_ms / timed as rank, longest_ms
           from per_test where timed > 0 order by rank desc, test_id limit ${TAKEN})
          union all
          (select 'flaky', test_id, judged, signs, signs::numeric / judged, 0
           from per_test where signs > 0 and judged > 0
           order by signs::numeric / judged desc, signs desc, test_id limit ${TAKEN})
        ) as both_kinds`;
      const { rows } = await sql<
        Named & {
          readonly kind: "slow" | "flaky";
          readonly executions: number;
          readonly signs: number;
          readonly rank: string;
          readonly longest_ms: number;
        }
      >`
        with per_test as materialized (
          select test_id, sum(judged)::int as judged, sum(signs)::int as signs,
            sum(timed)::int as timed, sum(total_ms) as total_ms, max(longest_ms) as longest_ms
          from (${spansOf(looked)}) as spans
          group by test_id
        )
        select * from (${named(ranked, looked)}) as told
        order by kind, rank desc, signs desc, test_id`.execute(db);
      const plain = ({
        test_id,
        name,
        source,
        quarantined,
        executions,
      }: (typeof rows)[number]) => ({
        ...{ test_id, name, source, quarantined, executions },
      });
      return {
        slow: rows
          .filter(({ kind }) => kind === "slow")
          .slice(0, SHOWN)
          .map((row) => ({
            ...plain(row),
            average_ms: Math.round(Number(row.rank)),
            longest_ms: row.longest_ms,
          })),
        flaky: rows
          .filter(({ kind }) => kind === "flaky")
          .slice(0, SHOWN)
          .map((row) => ({
            ...plain(row),
            signs: row.signs,
            score: Math.round(1_000 * Number(row.rank)) / 1_000,
          })),
      };
    },

    /** The tests that have been failing for longest, of those that ran since the day. */
    failingLongest: async (looked: Looked): Promise<FailingTest[]> => {
      const failing = sql`
        select * from (
          select distinct on (test_id) test_id, last_status, last_execution_id, failing_since,
            failing_run_id, failing_execution_id, failing_event_id
          from dashboard_places
          where organization_id = ${looked.organizationId} and failing_since is not null
            and last_at >= ${looked.since}::date and ${ofProject(looked)}
          order by test_id, failing_since
        ) as each_test
        order by failing_since, test_id limit ${TAKEN}`;
      const { rows } = await sql<
        Named & {
          readonly last_status: "failed" | "errored";
          readonly last_execution_id: string;
          readonly failing_since: string;
          readonly failing_run_id: string;
          readonly failing_execution_id: string;
          readonly failing_event_id: string;
        }
      >`
        select * from (${named(failing, looked)}) as told
        order by failing_since, test_id limit ${SHOWN}`.execute(db);
      return rows.map((row) => ({
        test_id: row.test_id,
        name: row.name,
        source: row.source,
        quarantined: row.quarantined,
        status: row.last_status,
        last_execution_id: row.last_execution_id,
        since: {
          at: row.failing_since,
          run_id: row.failing_run_id,
          execution_id: row.failing_execution_id,
          event_id: row.failing_event_id,
        },
      }));
    },

    /** What was last done about tests and runs, the latest first. */
    activityOf: async (looked: Looked): Promise<ActivityLine[]> => {
      const { rows } = await sql<{
        readonly at: string;
        readonly event: string;
        readonly actor: Actor;
        readonly run_id: string | null;
        readonly run_status: string | null;
        readonly run_actor_type: Trigger["type"] | null;
        readonly run_actor_id: string | null;
        readonly run_actor_name: string | null;
        readonly test_id: string | null;
        readonly test_name: string | null;
      }>`
        select a.at, a.event, a.actor, a.run_id, r.status as run_status,
          r.actor_type as run_actor_type, r.actor_id as run_actor_id, r.actor_name as run_actor_name,
          a.test_id, coalesce(t.name, i.name) as test_name
        from (
          select * from dashboard_activity where organization_id = ${looked.organizationId}
          order by position desc limit ${looked.projectId === null ? ACTIVITY : LOOKED_THROUGH}
        ) as a
        left join runs as r on r.id = a.run_id
        left join tests as t on t.id = a.test_id
        left join imported_tests as i on i.id = a.test_id
        where ${
          looked.projectId === null
            ? sql`true`
            : sql`coalesce(r.project_id, t.project_id, i.project_id) = ${looked.projectId}`
        }
        order by a.position desc limit ${ACTIVITY}`.execute(db);
      // A run is told of with who asked for it; one that others ran, with who brought it.
      const asked = rows.map((row): Trigger => {
        const { run_actor_type: type, run_actor_id: id, run_actor_name: name } = row;
        if (type === null || type === "import" || id === null) return row.actor;
        return { type, id, ...(name === null ? {} : { name }) };
      });
      const name = await triggeredBy(database, asked);
      return rows.map((row, index) => ({
        at: row.at,
        event: row.event,
        by: name(asked[index] ?? row.actor),
        run: row.run_id === null ? null : { id: row.run_id, status: row.run_status ?? "unknown" },
        test: row.test_id === null ? null : { id: row.test_id, name: row.test_name ?? row.test_id },
      }));
    },
  };
};
