import { type Kysely, sql } from "kysely";

type Ending = "passed" | "failed" | "errored";

/** The read model of executions. Attempts, browsers, steps and screenshots are those of the last delivery alone. */
export type ExecutionTables = {
  executions: {
    id: string;
    run_id: string;
    organization_id: string;
    /** Its place in the run, from 1. */
    place: number;
    test_id: string;
    test_version: number;
    test_name: string;
    step_count: number;
    browsers: unknown;
    base_url: string | null;
    variables: unknown;
    /** The name of the environment that it runs in. */
    environment: string | null;
    /** The row of data that it runs with: its number and its values. */
    data_row: unknown;
    /** The versions of the tests that its test calls. */
    calls: unknown;
    /** The path of its test's file in the repository. */
    source: string | null;
    /** The file content that it runs instead of the stored version, as in `pinnedContent`. */
    content: unknown;
    status: "queued" | "claimed" | "running" | "flaky" | "cancelled" | Ending;
    /** The number of the last delivery, 0 before the first. */
    delivery: number;
    error: string | null;
    duration_ms: number | null;
    /** Until when its test was in quarantine as its run was asked for; null: it was in none. */
    quarantined_until: string | null;
    created_at: string;
    /** When it was first claimed. */
    started_at: string | null;
    finished_at: string | null;
    updated_at: string;
    version: number;
  };
  execution_attempts: {
    execution_id: string;
    attempt: number;
    status: "running" | Ending;
    error: string | null;
    duration_ms: number | null;
  };
  execution_browsers: {
    execution_id: string;
    attempt: number;
    browser: string;
    browser_version: string;
    status: "running" | Ending;
    error: string | null;
    duration_ms: number | null;
  };
  execution_steps: {
    execution_id: string;
    attempt: number;
    browser: string;
    number: number;
    status: "running" | "passed" | "failed" | "skipped";
    duration_ms: number | null;
    error: string | null;
    locator: string | null;
    /** Why the step was skipped. */
    reason: string | null;
    /** Whether plan, policy, browser or a missing baseline prevented it. */
    is_gap: boolean;
    notes: unknown;
    evidence: unknown;
    page: unknown;
  };
  /** Steps that went on with another element than their target names. */
  healed_steps: {
    execution_id: string;
    attempt: number;
    browser: string;
    number: number;
    target: string;
    healed_target: string;
  };
  screenshots: {
    execution_id: string;
    attempt: number;
    browser: string;
    step_number: number;
    format: "jpeg" | "png";
    name: string | null;
    blob_key: string;
    taken_at: string;
  };
};

export const executionTables = [
  "executions",
  "execution_attempts",
  "execution_browsers",
  "execution_steps",
  "healed_steps",
  "screenshots",
] as const;

/** Creates the tables of executions. */
export const createExecutionTables = async (db: Kysely<unknown>): Promise<void> => {
  await createExecutions(db);
  await createAttempts(db);
  await createBrowsers(db);
  await createSteps(db);
  await createHealedSteps(db);
  await createScreenshots(db);
};

const createExecutions = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("executions")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("run_id", "uuid", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("place", "integer", (c) => c.notNull())
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("test_version", "integer", (c) => c.notNull())
    .addColumn("test_name", "text", (c) => c.notNull())
    .addColumn("step_count", "integer", (c) => c.notNull())
    .addColumn("browsers", "jsonb", (c) => c.notNull())
    .addColumn("base_url", "text")
    .addColumn("variables", "jsonb", (c) => c.notNull())
    .addColumn("environment", "text")
    .addColumn("data_row", "jsonb")
    .addColumn("calls", "jsonb")
    .addColumn("source", "text")
    .addColumn("content", "jsonb")
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("delivery", "integer", (c) => c.notNull())
    .addColumn("error", "text")
    .addColumn("duration_ms", "integer")
    .addColumn("quarantined_until", "timestamptz")
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("started_at", "timestamptz")
    .addColumn("finished_at", "timestamptz")
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("executions_by_run").on("executions").columns(["run_id"]).execute();
  await db.schema
    .createIndex("executions_by_organization")
    .on("executions")
    .columns(["organization_id", "id"])
    .execute();
};

const createAttempts = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("execution_attempts")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("error", "text")
    .addColumn("duration_ms", "integer")
    .addPrimaryKeyConstraint("execution_attempts_pkey", ["execution_id", "attempt"])
    .execute();
};

const createBrowsers = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("execution_browsers")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("browser_version", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("error", "text")
    .addColumn("duration_ms", "integer")
    .addPrimaryKeyConstraint("execution_browsers_pkey", ["execution_id", "attempt", "browser"])
    .execute();
};

const createSteps = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("execution_steps")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("duration_ms", "integer")
    .addColumn("error", "text")
    .addColumn("locator", "text")
    .addColumn("reason", "text")
    .addColumn("is_gap", "boolean", (c) => c.notNull())
    .addColumn("notes", "jsonb")
    .addColumn("evidence", "jsonb")
    .addColumn("page", "jsonb")
    .addPrimaryKeyConstraint("execution_steps_pkey", [
      "execution_id",
      "attempt",
      "browser",
      "number",
    ])
    .execute();
  await db.schema
    .createIndex("execution_steps_with_gap")
    .on("execution_steps")
    .columns(["execution_id"])
    .where(sql.ref("is_gap"), "=", true)
    .execute();
};

const createHealedSteps = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("healed_steps")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("target", "text", (c) => c.notNull())
    .addColumn("healed_target", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("healed_steps_pkey", ["execution_id", "attempt", "browser", "number"])
    .execute();
};

const createScreenshots = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("screenshots")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("step_number", "integer", (c) => c.notNull())
    .addColumn("format", "text", (c) => c.notNull())
    .addColumn("name", "text")
    .addColumn("blob_key", "text", (c) => c.notNull())
    .addColumn("taken_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("screenshots_pkey", [
      "execution_id",
      "attempt",
      "browser",
      "step_number",
    ])
    .execute();
};
