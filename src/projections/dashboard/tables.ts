import type { Kysely } from "kysely";

/** Sums per day and test, so that a dashboard of a month reads daily rows instead of executions. */
export type DashboardTables = {
  /** The planned and resulting fields of an execution that sums depend on. */
  dashboard_executions: {
    id: string;
    run_id: string;
    organization_id: string;
    project: string;
    test_id: string;
    /** A digest of the environment, address and row of data. */
    place: string;
    test_version: number;
    quarantined: boolean;
    status: string | null;
    /** The day on which it ended (UTC), `YYYY-MM-DD`. */
    day: string | null;
    duration_ms: number | null;
  };
  dashboard_days: {
    organization_id: string;
    project: string;
    day: string;
    passed: number;
    flaky: number;
    failed: number;
    errored: number;
    cancelled: number;
    quarantined: number;
  };
  /** Sums of a test per day and per longer span, so that a month consists of few rows. */
  dashboard_test_spans: {
    organization_id: string;
    /** In days, one of `SPANS`. */
    span: number;
    /** Days since 1970-01-01. */
    first_day: number;
    test_id: string;
    project: string;
    /** Executions that count for flakiness, and those of them that showed a sign of it. */
    judged: number;
    signs: number;
    /** Executions with a duration, their total and the longest. */
    timed: number;
    total_ms: bigint | string;
    longest_ms: number;
  };
  /** The standing of a test in a place. */
  dashboard_places: {
    test_id: string;
    place: string;
    organization_id: string;
    project: string;
    last_execution_id: string;
    last_status: string;
    last_at: string;
    judged_status: string | null;
    judged_version: number | null;
    failing_since: string | null;
    failing_run_id: string | null;
    failing_execution_id: string | null;
    failing_event_id: string | null;
  };
  /** Actions on tests and runs. */
  dashboard_activity: {
    organization_id: string;
    position: bigint | string;
    at: string;
    event: string;
    actor: unknown;
    run_id: string | null;
    test_id: string | null;
  };
};

export const dashboardTables = [
  "dashboard_executions",
  "dashboard_days",
  "dashboard_test_spans",
  "dashboard_places",
  "dashboard_activity",
] as const;

/** Stands for no project, because a key contains no null. */
export const NO_PROJECT = "00000000-0000-0000-0000-000000000000";

export const createDashboardTables = async (db: Kysely<unknown>): Promise<void> => {
  await createExecutions(db);
  await createSums(db);
  await createPlaces(db);
  await createActivity(db);
};

const createExecutions = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("dashboard_executions")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("run_id", "uuid", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project", "uuid", (c) => c.notNull())
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("place", "text", (c) => c.notNull())
    .addColumn("test_version", "integer", (c) => c.notNull())
    .addColumn("quarantined", "boolean", (c) => c.notNull())
    .addColumn("status", "text")
    .addColumn("day", "text")
    .addColumn("duration_ms", "integer")
    .execute();
};

const createSums = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("dashboard_days")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project", "uuid", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("passed", "integer", (c) => c.notNull())
    .addColumn("flaky", "integer", (c) => c.notNull())
    .addColumn("failed", "integer", (c) => c.notNull())
    .addColumn("errored", "integer", (c) => c.notNull())
    .addColumn("cancelled", "integer", (c) => c.notNull())
    .addColumn("quarantined", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("dashboard_days_pkey", ["organization_id", "day", "project"])
    .execute();
  await db.schema
    .createTable("dashboard_test_spans")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("span", "smallint", (c) => c.notNull())
    .addColumn("first_day", "integer", (c) => c.notNull())
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("project", "uuid", (c) => c.notNull())
    .addColumn("judged", "integer", (c) => c.notNull())
    .addColumn("signs", "integer", (c) => c.notNull())
    .addColumn("timed", "integer", (c) => c.notNull())
    .addColumn("total_ms", "bigint", (c) => c.notNull())
    .addColumn("longest_ms", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("dashboard_test_spans_pkey", [
      "organization_id",
      "span",
      "first_day",
      "test_id",
      "project",
    ])
    .execute();
};

const createPlaces = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("dashboard_places")
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("place", "text", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project", "uuid", (c) => c.notNull())
    .addColumn("last_execution_id", "uuid", (c) => c.notNull())
    .addColumn("last_status", "text", (c) => c.notNull())
    .addColumn("last_at", "timestamptz", (c) => c.notNull())
    .addColumn("judged_status", "text")
    .addColumn("judged_version", "integer")
    .addColumn("failing_since", "timestamptz")
    .addColumn("failing_run_id", "uuid")
    .addColumn("failing_execution_id", "uuid")
    .addColumn("failing_event_id", "uuid")
    .addPrimaryKeyConstraint("dashboard_places_pkey", ["test_id", "place"])
    .execute();
  await db.schema
    .createIndex("dashboard_places_failing")
    .on("dashboard_places")
    .columns(["organization_id", "failing_since"])
    .execute();
};

const createActivity = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("dashboard_activity")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("position", "bigint", (c) => c.notNull())
    .addColumn("at", "timestamptz", (c) => c.notNull())
    .addColumn("event", "text", (c) => c.notNull())
    .addColumn("actor", "jsonb", (c) => c.notNull())
    .addColumn("run_id", "uuid")
    .addColumn("test_id", "uuid")
    .addPrimaryKeyConstraint("dashboard_activity_pkey", ["organization_id", "position"])
    .execute();
};
