import type { Kysely } from "kysely";
import type { PinnedCall } from "../../domain/catalogue/calls.ts";
import type { Outcome } from "../../domain/reports/flakiness.ts";
import type { ExecutionTables } from "../runs/executions/tables.ts";
import type { RunTables } from "../runs/runs.ts";

export type ReportTables = ExecutionTables & RunTables;
export type ReportsDb = Kysely<ReportTables>;

/** A finished execution of a test. */
export type PastExecution = {
  readonly id: string;
  readonly run_id: string;
  readonly test_version: number;
  readonly status: Outcome["status"];
  readonly duration_ms: number | null;
  readonly finished_at: string;
  /** When its run was queued. The test, the tests it calls and its baselines are pinned to this time. */
  readonly pinned_at: string;
  readonly environment: string | null;
  /** The versions of the called tests, by test id. */
  readonly called: ReadonlyMap<string, number>;
  /** The versions of the browsers, by name. */
  readonly browsers: Readonly<Record<string, string>>;
};

const ENDED = ["passed", "flaky", "failed", "errored", "cancelled"] as const;

const columns = [
  "id",
  "run_id",
  "test_version",
  "status",
  "duration_ms",
  "finished_at",
  "created_at",
  "environment",
  "calls",
] as const;

/** The latest finished executions of a test, newest first. */
export const lastExecutions = async (
  db: ReportsDb,
  testId: string,
  limit: number,
): Promise<PastExecution[]> =>
  pastExecutions(
    db,
    await endedExecutions(db, testId).select(columns).orderBy("id", "desc").limit(limit).execute(),
  );

/** Finished executions by their ids. */
export const executionsById = async (
  db: ReportsDb,
  ids: readonly string[],
): Promise<PastExecution[]> =>
  pastExecutions(
    db,
    await db
      .selectFrom("executions")
      .select(columns)
      .where("id", "in", ids)
      .where("status", "in", [...ENDED])
      .execute(),
  );

/** The last passed execution of a test before another one, null if there is none. */
export const lastGreen = async (
  db: ReportsDb,
  testId: string,
  before: string,
): Promise<PastExecution | null> => {
  const rows = await endedExecutions(db, testId)
    .select(columns)
    .where("id", "<", before)
    .where("status", "=", "passed")
    .orderBy("id", "desc")
    .limit(1)
    .execute();
  return (await pastExecutions(db, rows))[0] ?? null;
};

/** The newest `limit` outcomes of a test since an instant, oldest first. */
export const outcomesSince = async (
  db: ReportsDb,
  testId: string,
  since: string,
  limit: number,
): Promise<Outcome[]> => {
  const rows = await endedExecutions(db, testId)
    .select([...columns, "base_url", "data_row"])
    .where("finished_at", ">=", since)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.reverse().map((row) => ({
    executionId: row.id,
    status: row.status as Outcome["status"],
    testVersion: row.test_version,
    place: JSON.stringify([row.environment, row.base_url, row.data_row]),
    at: row.finished_at ?? "",
  }));
};

/** The last execution of a test, in a run if `runId` is given, null if there is none. */
export const executionOf = async (
  db: ReportsDb,
  testId: string,
  runId: string | null,
): Promise<string | null> => {
  const row = await db
    .selectFrom("executions")
    .select("id")
    .where("test_id", "=", testId)
    .$if(runId !== null, (q) => q.where("run_id", "=", runId ?? ""))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
};

const endedExecutions = (db: ReportsDb, testId: string) =>
  db
    .selectFrom("executions")
    .where("test_id", "=", testId)
    .where("status", "in", [...ENDED])
    // The content of a file that differs from the stored test says nothing about the stored test.
    .where("content", "is", null)
    .where("finished_at", "is not", null);

const pastExecutions = async (
  db: ReportsDb,
  rows: readonly Pick<ReportTables["executions"], (typeof columns)[number]>[],
): Promise<PastExecution[]> => {
  const browsers = await browsersOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ created_at: pinned_at, calls, ...row }) => ({
    ...row,
    pinned_at,
    called: new Map(
      ((calls as readonly PinnedCall[] | null) ?? []).map((one) => [one.testId, one.testVersion]),
    ),
    status: row.status as Outcome["status"],
    finished_at: row.finished_at ?? "",
    browsers: browsers.get(row.id) ?? {},
  }));
};

const browsersOf = async (
  db: ReportsDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Record<string, string>>> => {
  const found = new Map<string, Record<string, string>>();
  if (ids.length === 0) return found;
  const rows = await db
    .selectFrom("execution_browsers")
    .select(["execution_id", "browser", "browser_version"])
    .where("execution_id", "in", ids)
    .orderBy("attempt")
    .execute();
  for (const { execution_id, browser, browser_version } of rows) {
    const of = found.get(execution_id) ?? {};
    of[browser] = browser_version;
    found.set(execution_id, of);
  }
  return found;
};
