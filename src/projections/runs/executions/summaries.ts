import type { Kysely } from "kysely";
import {
  noReservations,
  type Reservations,
  type VerdictWithReservations,
  verdictOf,
} from "../../../domain/runs/reservations.ts";
import { type ContentOfFile, contentIn } from "./content.ts";
import { reservationsOf } from "./reservations.ts";
import type { ExecutionTables } from "./tables.ts";

/** A row of a test's data, by its number from 1. */
export type DataRow = {
  readonly number: number;
  readonly values: Readonly<Record<string, string>>;
};

/** An execution as lists show it. */
export type ExecutionSummary = {
  readonly id: string;
  readonly organizationId: string;
  readonly run_id: string;
  readonly test_id: string;
  readonly test_version: number;
  readonly test_name: string;
  /** The path of its test's file in the repository; null without one. */
  readonly source: string | null;
  /** The file content that it runs; null: the stored version. */
  readonly content: ContentOfFile | null;
  /** The name of the environment that it runs in; null without one. */
  readonly environment: string | null;
  /** The row of data that it runs with; null without any. */
  readonly row: DataRow | null;
  readonly status: ExecutionTables["executions"]["status"];
  /** Its test was in quarantine when its run was asked for: that it did not pass does not count. */
  readonly quarantined: boolean;
  readonly delivery: number;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
  /** Null until the execution has ended. */
  readonly verdict: VerdictWithReservations | null;
} & Reservations;

/** The summaries of executions, in their order. */
export const summariesOf = async (
  db: Kysely<ExecutionTables>,
  rows: readonly ExecutionTables["executions"][],
): Promise<ExecutionSummary[]> => {
  const reservations = await reservationsOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => summaryOf(row, reservations.get(row.id)));
};

const summaryOf = (
  row: ExecutionTables["executions"],
  { gaps, healed }: Reservations = noReservations,
): ExecutionSummary => ({
  id: row.id,
  organizationId: row.organization_id,
  run_id: row.run_id,
  test_id: row.test_id,
  test_version: row.test_version,
  test_name: row.test_name,
  source: row.source,
  content: contentIn(row),
  environment: row.environment,
  row: row.data_row as DataRow | null,
  status: row.status,
  quarantined: row.quarantined_until !== null,
  delivery: row.delivery,
  error: row.error,
  duration_ms: row.duration_ms,
  started_at: row.started_at,
  finished_at: row.finished_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
  version: row.version,
  verdict: verdictOf(row.status, { gaps: gaps.length, healed: healed.length }),
  gaps,
  healed,
});
