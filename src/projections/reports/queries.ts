import { type Kysely, sql } from "kysely";
import type { PinnedCall } from "../../domain/catalogue/calls.ts";
import type { Outcome } from "../../domain/reports/flakiness.ts";
import type { ExecutionTables } from "../runs/executions/tables.ts";
import type { RunTables } from "../runs/runs.ts";

type Tables = ExecutionTables & RunTables;

const ENDED = ["passed", "flaky", "failed", "errored", "cancelled"] as const;

/** An execution of a test as its report lists it. */
export type PastExecution = {
  readonly id: string;
  readonly run_id: string;
  readonly test_version: number;
  readonly status: Outcome["status"];
  readonly duration_ms: number | null;
  readonly finished_at: string;
  /** When its run was queued: what it runs, and what its pictures are compared with, is as it was then. */
  readonly pinned_at: string;
  readonly environment: string | null;
  /** The version of each test that its test calls, by id. */
  readonly called: ReadonlyMap<string, number>;
  /** The version of each browser that it ran in, by its name. */
  readonly browsers: Readonly<Record<string, string>>;
};

/** A run as a trend has it. */
export type TrendPoint = {
  readonly run_id: string;
  readonly status: "passed" | "failed" | "errored" | "cancelled";
  readonly finished_at: string;
  readonly passed: number;
  readonly not_passed: number;
};

export type ReportQueries = ReturnType<typeof reportQueries>;

/** What reports ask of the executions that have ended. */
export const reportQueries = (db: Kysely<Tables>) => {
  const ended = (testId: string) =>
    db
      .selectFrom("executions")
      .where("test_id", "=", testId)
      .where("status", "in", [...ENDED])
      .where("finished_at", "is not", null);

  const browsersOf = async (
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

  const past = async (
    rows: readonly Pick<Tables["executions"], (typeof columns)[number]>[],
  ): Promise<PastExecution[]> => {
    const browsers = await browsersOf(rows.map(({ id }) => id));
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

  return {
    /** The last executions of a test that have ended, the latest first. */
    lastExecutions: async (testId: string, limit: number): Promise<PastExecution[]> =>
      past(await ended(testId).select(columns).orderBy("id", "desc").limit(limit).execute()),

    /** Executions that have ended, by their ids. */
    executionsById: async (ids: readonly string[]): Promise<PastExecution[]> =>
      past(
        await db
          .selectFrom("executions")
          .select(columns)
          .where("id", "in", ids)
          .where("status", "in", [...ENDED])
          .execute(),
      ),

    /** The last execution of a test before another one that passed; null when there is none. */
    lastGreen: async (testId: string, before: string): Promise<PastExecution | null> => {
      const rows = await ended(testId)
        .select(columns)
        .where("id", "<", before)
        .where("status", "=", "passed")
        .orderBy("id", "desc")
        .limit(1)
        .execute();
      return (await past(rows))[0] ?? null;
    },

    /** The outcomes of a test since an instant, oldest first, `limit` at most: the latest of them. */
    outcomesSince: async (testId: string, since: string, limit: number): Promise<Outcome[]> => {
      const rows = await ended(testId)
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
    },

    /** The last execution of a test in a run, or of all; null when there is none. */
    executionOf: async (testId: string, runId: string | null): Promise<string | null> => {
      const row = await db
        .selectFrom("executions")
        .select("id")
        .where("test_id", "=", testId)
        .$if(runId !== null, (q) => q.where("run_id", "=", runId ?? ""))
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** The last run of a test set; null when there is none. */
    lastRunOfSet: async (testSetId: string): Promise<string | null> => {
      const row = await db
        .selectFrom("runs")
        .select("id")
        .where("test_set_id", "=", testSetId)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** Runs of the same kind (who asked, for what) up to one, that one included, oldest first. */
    trendOf: async (runId: string, limit: number): Promise<TrendPoint[]> => {
      const rows = await db
        .selectFrom("runs as one")
        .innerJoin("runs as past", (join) =>
          join
            .onRef("past.organization_id", "=", "one.organization_id")
            .onRef("past.actor_type", "=", "one.actor_type")
            .onRef("past.actor_id", "=", "one.actor_id"),
        )
        .select([
          "past.id as run_id",
          "past.status",
          "past.finished_at",
          sql<number>`past.passed + past.flaky`.as("passed"),
          sql<number>`past.failed + past.errored + past.cancelled`.as("not_passed"),
        ])
        .where("one.id", "=", runId)
        .whereRef("past.id", "<=", "one.id")
        .where("past.finished_at", "is not", null)
        .where(sql<boolean>`past.test_set_id is not distinct from one.test_set_id`)
        .where(sql<boolean>`past.project_id is not distinct from one.project_id`)
        .orderBy("past.id", "desc")
        .limit(limit)
        .execute();
      return rows.reverse().map((row) => ({
        ...row,
        status: row.status as TrendPoint["status"],
        finished_at: row.finished_at ?? "",
      }));
    },
  };
};
