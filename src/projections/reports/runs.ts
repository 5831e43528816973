import { sql } from "kysely";
import type { ReportsDb } from "./executions.ts";

/** A finished run in a trend. */
export type TrendPoint = {
  readonly run_id: string;
  readonly status: "passed" | "failed" | "errored" | "cancelled";
  readonly finished_at: string;
  readonly passed: number;
  readonly not_passed: number;
};

/** The last run of a test set, null if there is none. */
export const lastRunOfSet = async (db: ReportsDb, testSetId: string): Promise<string | null> => {
  const row = await db
    .selectFrom("runs")
    .select("id")
    .where("test_set_id", "=", testSetId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
};

/** Runs with the same actor, test set and project up to and including one, oldest first. */
export const trendOf = async (
  db: ReportsDb,
  runId: string,
  limit: number,
): Promise<TrendPoint[]> => {
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
};
