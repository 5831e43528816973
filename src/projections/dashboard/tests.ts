import { sql } from "kysely";
import {
  type DashboardDb,
  type DashboardScope,
  type NamedTest,
  ofProject,
  spansOf,
  withNames,
} from "./scope.ts";

export type SlowTest = NamedTest & {
  readonly executions: number;
  readonly average_ms: number;
  readonly longest_ms: number;
};
export type FlakyTest = NamedTest & {
  readonly executions: number;
  readonly signs: number;
  readonly score: number;
};
export type FailingTest = NamedTest & {
  readonly status: "failed" | "errored";
  readonly last_execution_id: string;
  readonly since: {
    readonly at: string;
    readonly run_id: string;
    readonly execution_id: string;
    readonly event_id: string;
  };
};

/** Tests per list. */
const MAX_TESTS = 10;
/** Ranked tests to fetch, because some of them may be deleted. */
const MAX_RANKED = 40;

type RankedTest = NamedTest & {
  readonly kind: "slow" | "flaky";
  readonly executions: number;
  readonly signs: number;
  readonly rank: string;
  readonly longest_ms: number;
};

type FailingRow = NamedTest & {
  readonly last_status: "failed" | "errored";
  readonly last_execution_id: string;
  readonly failing_since: string;
  readonly failing_run_id: string;
  readonly failing_execution_id: string;
  readonly failing_event_id: string;
};

/** The tests with the longest average duration, and those with the most signs of flakiness per execution. */
export const slowAndFlaky = async (
  db: DashboardDb,
  scope: DashboardScope,
): Promise<{ readonly slow: SlowTest[]; readonly flaky: FlakyTest[] }> => {
  const ranked = sql`
    select * from (
      (select 'slow' as kind, test_id, timed as executions, 0 as signs,
         total_ms / timed as rank, longest_ms
       from per_test where timed > 0 order by rank desc, test_id limit ${MAX_RANKED})
      union all
      (select 'flaky', test_id, judged, signs, signs::numeric / judged, 0
       from per_test where signs > 0 and judged > 0
       order by signs::numeric / judged desc, signs desc, test_id limit ${MAX_RANKED})
    ) as both_kinds`;
  const { rows } = await sql<RankedTest>`
    with per_test as materialized (
      select test_id, sum(judged)::int as judged, sum(signs)::int as signs,
        sum(timed)::int as timed, sum(total_ms) as total_ms, max(longest_ms) as longest_ms
      from (${spansOf(scope)}) as spans
      group by test_id
    )
    select * from (${withNames(ranked, scope)}) as named
    order by kind, rank desc, signs desc, test_id`.execute(db);
  return {
    slow: rows
      .filter(({ kind }) => kind === "slow")
      .slice(0, MAX_TESTS)
      .map((row) => ({
        ...nameAndCount(row),
        average_ms: Math.round(Number(row.rank)),
        longest_ms: row.longest_ms,
      })),
    flaky: rows
      .filter(({ kind }) => kind === "flaky")
      .slice(0, MAX_TESTS)
      .map((row) => ({
        ...nameAndCount(row),
        signs: row.signs,
        score: Math.round(1_000 * Number(row.rank)) / 1_000,
      })),
  };
};

const nameAndCount = ({ test_id, name, source, quarantined, executions }: RankedTest) => ({
  test_id,
  name,
  source,
  quarantined,
  executions,
});

/** The tests that have been failing for longest, of those that ran since the day. */
export const failingLongest = async (
  db: DashboardDb,
  scope: DashboardScope,
): Promise<FailingTest[]> => {
  const failing = sql`
    select * from (
      select distinct on (test_id) test_id, last_status, last_execution_id, failing_since,
        failing_run_id, failing_execution_id, failing_event_id
      from dashboard_places
      where organization_id = ${scope.organizationId} and failing_since is not null
        and last_at >= ${scope.since}::date and ${ofProject(scope)}
      order by test_id, failing_since
    ) as each_test
    order by failing_since, test_id limit ${MAX_RANKED}`;
  const { rows } = await sql<FailingRow>`
    select * from (${withNames(failing, scope)}) as named
    order by failing_since, test_id limit ${MAX_TESTS}`.execute(db);
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
};
