import {
  executionOf,
  executionsById,
  lastExecutions,
  lastGreen,
  outcomesSince,
  type ReportsDb,
} from "./executions.ts";
import { lastRunOfSet, trendOf } from "./runs.ts";

export type ReportQueries = ReturnType<typeof reportQueries>;

/** Queries of reports on finished executions and runs. */
export const reportQueries = (db: ReportsDb) => ({
  lastExecutions: (testId: string, limit: number) => lastExecutions(db, testId, limit),
  executionsById: (ids: readonly string[]) => executionsById(db, ids),
  lastGreen: (testId: string, before: string) => lastGreen(db, testId, before),
  outcomesSince: (testId: string, since: string, limit: number) =>
    outcomesSince(db, testId, since, limit),
  executionOf: (testId: string, runId: string | null) => executionOf(db, testId, runId),
  lastRunOfSet: (testSetId: string) => lastRunOfSet(db, testSetId),
  trendOf: (runId: string, limit: number) => trendOf(db, runId, limit),
});
