import { type Kysely, sql } from "kysely";
import {
  noReservations,
  type Reservations,
  type VerdictWithReservations,
  verdictOf,
} from "../../domain/runs/reservations.ts";
import type { AllTotals } from "../../domain/runs/verdict.ts";
import type { Principal } from "../../domain/usage/spender.ts";
import type { Database } from "../../platform/database/database.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";
import type { Page } from "../kernel/newestFirst.ts";
import { type ContentOfFile, contentIn } from "./executions/content.ts";
import { attemptsOf, browsersOf, partStatus, stepsDoneOf } from "./executions/parts.ts";
import {
  type ReservationCounts,
  reservationCountsOf,
  reservationsOf,
} from "./executions/reservations.ts";
import type { DataRow } from "./executions/summaries.ts";
import type { ExecutionTables } from "./executions/tables.ts";
import { type RunFilter, selectRuns } from "./runFilter.ts";
import type { RunTables } from "./runs.ts";
import { type RunTestNames, testNamesOf } from "./testNames.ts";
import { type Trigger, triggeredBy } from "./triggeredBy.ts";
import { type RunEventTables, runEventQueries } from "./watchedEvents.ts";

type Tables = RunTables & ExecutionTables & RunEventTables & PersonTables;

/** A run as lists show it. */
export type RunSummary = {
  readonly id: string;
  readonly organizationId: string;
  readonly project_id: string | null;
  readonly status: RunTables["runs"]["status"];
  readonly triggered_by: string;
  /** The run that this one repeats. */
  readonly rerun_of: string | null;
  /** The test set that it ran; null where tests were named otherwise. */
  readonly test_set_id: string | null;
  readonly queued_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly duration_ms: number | null;
  readonly totals: AllTotals;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
  /** Null until the run has ended. */
  readonly verdict: VerdictWithReservations | null;
  /** The numbers of passed tests with gaps and with healed steps, without those in quarantine. */
  readonly tests_with_gaps: number;
  readonly tests_healed: number;
};

/** One test of a run, with how far it has come. */
export type RunTest = {
  readonly test_id: string;
  readonly name: string;
  readonly execution_id: string;
  /** The number of the row of data that it runs with; null without any. */
  readonly row: number | null;
  /** The path of its file in the repository; null without one. */
  readonly source: string | null;
  /** The file content that it runs; null: the stored version. */
  readonly content: ContentOfFile | null;
  readonly status: ExecutionTables["executions"]["status"];
  /** It was in quarantine when the run was asked for: that it did not pass does not count. */
  readonly quarantined: boolean;
  readonly duration_ms: number | null;
  readonly steps_done: number;
  readonly steps_total: number;
  readonly error: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly status: string;
    readonly error: string | null;
    readonly duration_ms: number | null;
  }[];
  readonly browsers: readonly {
    readonly browser: string;
    readonly status: string;
    readonly duration_ms: number | null;
  }[];
  /** Null until the test has ended. */
  readonly verdict: VerdictWithReservations | null;
} & Reservations;

/** A complete run. `sequence` is the number of its last event: a subscription that starts after it misses nothing. */
export type RunDetail = RunSummary & {
  readonly sequence: number;
  readonly tests: readonly RunTest[];
};

export type RunQueries = ReturnType<typeof runQueries>;

/** Queries of runs in any organisation. Rows contain the organisation id: the caller authorises access. */
export const runQueries = (database: Database["db"]) => {
  const db: Kysely<Tables> = database;
  return {
    ...runEventQueries(database),
    findRunOwner: findRunOwner.bind(null, db),
    findRun: findRun.bind(null, database),
    statusBefore: statusBefore.bind(null, db),
    actorOfRun: actorOfRun.bind(null, db),
    listRuns: listRuns.bind(null, database),
  };
};

/** The organisation of a run; null if there is none. */
const findRunOwner = async (
  db: Kysely<Tables>,
  id: string,
): Promise<{ organizationId: string } | null> => {
  const row = await db
    .selectFrom("runs")
    .select("organization_id")
    .where("id", "=", id)
    .executeTakeFirst();
  return row ? { organizationId: row.organization_id } : null;
};

/** A run with its tests; null if there is none. */
const findRun = async (database: Database["db"], id: string): Promise<RunDetail | null> => {
  const db: Kysely<Tables> = database;
  // Reads the number first: later events are either in the answer or follow the number.
  const sequence = await runEventQueries(database).lastSequence(id);
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) return null;
  const name = await triggeredBy(database, [actorOf(row)]);
  const counts = (await reservationCountsOf(database, [id])).get(id);
  return {
    ...summaryOf(row, name(actorOf(row)), counts),
    sequence,
    tests: await testsOf(database, id),
  };
};

/**
 * The status of the previous run of the same requester, test set and project; null if there was none. Cancelled runs do
 * not count.
 */
const statusBefore = async (
  db: Kysely<Tables>,
  id: string,
): Promise<"passed" | "failed" | "errored" | null> => {
  const row = await db
    .selectFrom("runs as one")
    .innerJoin("runs as before", (join) =>
      join
        .onRef("before.organization_id", "=", "one.organization_id")
        .onRef("before.actor_type", "=", "one.actor_type")
        .onRef("before.actor_id", "=", "one.actor_id"),
    )
    .select("before.status")
    .where("one.id", "=", id)
    .whereRef("before.id", "<", "one.id")
    .where("before.status", "in", ["passed", "failed", "errored"])
    .where(sql<boolean>`before.test_set_id is not distinct from one.test_set_id`)
    .where(sql<boolean>`before.project_id is not distinct from one.project_id`)
    .orderBy("before.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return (row?.status as "passed" | "failed" | "errored" | undefined) ?? null;
};

/** The requester of a run as recorded in the log; null for an imported or unknown run. */
const actorOfRun = async (db: Kysely<Tables>, id: string): Promise<Principal | null> => {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  const actor = row && actorOf(row);
  return actor && isPrincipal(actor) ? actor : null;
};

const listRuns = async (
  database: Database["db"],
  organizationId: string,
  page: Page,
  filter: RunFilter = {},
): Promise<(RunSummary & RunTestNames)[]> => {
  const rows = await selectRuns(database, organizationId, page, filter).execute();
  const name = await triggeredBy(database, rows.map(actorOf));
  const ids = rows.map(({ id }) => id);
  const names = await testNamesOf(database, ids);
  const counts = await reservationCountsOf(database, ids);
  return rows.map((row, index) => ({
    ...summaryOf(row, name(actorOf(row)), counts.get(row.id)),
    ...(names[index] ?? { test_count: 0, first_test: null }),
  }));
};

const isPrincipal = (actor: Trigger): actor is Principal => actor.type !== "import";

const actorOf = (row: RunTables["runs"]): Trigger => ({
  type: row.actor_type as Trigger["type"],
  id: row.actor_id,
  ...(row.actor_name === null ? {} : { name: row.actor_name }),
});

const summaryOf = (
  row: RunTables["runs"],
  by: string,
  counts: ReservationCounts = { gaps: 0, healed: 0 },
): RunSummary => {
  const { passed, failed, flaky, errored, cancelled, quarantined } = row;
  return {
    id: row.id,
    organizationId: row.organization_id,
    project_id: row.project_id,
    status: row.status,
    triggered_by: by,
    rerun_of: row.rerun_of,
    test_set_id: row.test_set_id,
    queued_at: row.queued_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration_ms: durationBetween(row.started_at, row.finished_at),
    totals: { passed, failed, flaky, errored, cancelled, quarantined },
    created_at: row.queued_at,
    updated_at: row.updated_at,
    version: row.version,
    verdict: verdictOf(row.status, counts),
    tests_with_gaps: counts.gaps,
    tests_healed: counts.healed,
  };
};

/** Milliseconds from one moment to another; null while either is still to come. */
export const durationBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));

const testsOf = async (db: Kysely<ExecutionTables>, runId: string): Promise<RunTest[]> => {
  const rows = await db
    .selectFrom("executions")
    .selectAll()
    .where("run_id", "=", runId)
    .orderBy("place")
    .execute();
  const ids = rows.map(({ id }) => id);
  const attempts = await attemptsOf(db, ids);
  const browsers = await browsersOf(db, ids);
  const done = await stepsDoneOf(db, ids);
  const reservations = await reservationsOf(db, ids);
  return rows.map((row) => {
    const { gaps, healed } = reservations.get(row.id) ?? noReservations;
    const own = attempts.get(row.id) ?? [];
    const last = own.at(-1)?.attempt ?? 0;
    return {
      test_id: row.test_id,
      name: row.test_name,
      execution_id: row.id,
      row: (row.data_row as DataRow | null)?.number ?? null,
      source: row.source,
      content: contentIn(row),
      status: row.status,
      quarantined: row.quarantined_until !== null,
      duration_ms: row.duration_ms,
      steps_done: done.get(row.id) ?? 0,
      steps_total: row.step_count * (row.browsers as string[]).length,
      error: row.error,
      attempts: own.map(({ attempt, status, error, duration_ms }) => ({
        number: attempt,
        status: partStatus(row, status),
        error,
        duration_ms,
      })),
      browsers: (browsers.get(row.id) ?? [])
        .filter(({ attempt }) => attempt === last)
        .map(({ browser, status, duration_ms }) => ({
          browser,
          status: partStatus(row, status),
          duration_ms,
        })),
      verdict: verdictOf(row.status, { gaps: gaps.length, healed: healed.length }),
      gaps,
      healed,
    };
  });
};
