import { type Kysely, sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { ExecutionTables } from "./executions/tables.ts";

/** How many tests a run has, and the name of the first; null before its executions are recorded. */
export type RunTestNames = { readonly test_count: number; readonly first_test: string | null };

const none: RunTestNames = { test_count: 0, first_test: null };

/** Reads the number of tests and the first name of each run, in the order of `runIds`. */
export const testNamesOf = async (
  database: Database["db"],
  runIds: readonly string[],
): Promise<RunTestNames[]> => {
  if (runIds.length === 0) return [];
  const db: Kysely<ExecutionTables> = database;
  const rows = await db
    .selectFrom("executions")
    .select(({ fn }) => [
      "run_id",
      fn.countAll<number>().as("test_count"),
      sql<string>`(array_agg(test_name order by place))[1]`.as("first_test"),
    ])
    .where("run_id", "in", [...runIds])
    .groupBy("run_id")
    .execute();
  const byRun = new Map(rows.map(({ run_id, ...names }) => [run_id, names]));
  return runIds.map((id) => {
    const names = byRun.get(id);
    return names ? { ...names, test_count: Number(names.test_count) } : none;
  });
};
