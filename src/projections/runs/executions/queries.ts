import { type Kysely, sql } from "kysely";
import type { PinnedCall } from "../../../domain/catalogue/calls.ts";
import type { Step } from "../../../domain/catalogue/step.ts";
import type { PageProblems, SeenBox } from "../../../domain/runs/executions/stepEvidence.ts";
import { inOrder, type Page, type Period, within } from "../../kernel/newestFirst.ts";
import { matchingRuns, type RunFilter, taggedTests } from "../runFilter.ts";
import { placeOfSteps } from "./content.ts";
import { attemptsOf, browsersOf, healedStepsOf, partStatus, stepsOf } from "./parts.ts";
import { type ExecutionSummary, summariesOf } from "./summaries.ts";
import type { ExecutionTables } from "./tables.ts";

/** Steps of a test as they were at a version, in order, those of called tests in their places; null when there is no such test. */
export type StepsOfVersion = (
  testId: string,
  version: number,
  calls?: readonly PinnedCall[],
) => Promise<readonly Step[] | null>;

export type StepResult = Pick<Step, "action" | "target" | "value" | "description"> & {
  readonly number: number;
  readonly status: "pending" | ExecutionTables["execution_steps"]["status"];
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly locator: string | null;
  /** Why the step was skipped. */
  readonly reason: string | null;
  readonly is_gap: boolean;
  readonly healed_target: string | null;
  readonly notes: readonly string[];
  readonly evidence: SeenBox | null;
  readonly page_problems: PageProblems | null;
  readonly screenshot_url: string | null;
};

export type BrowserResult = {
  readonly browser: string;
  readonly browser_version: string;
  readonly status: string;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly steps: readonly StepResult[];
};

export type AttemptResult = {
  readonly number: number;
  readonly status: string;
  readonly duration_ms: number | null;
  readonly error: string | null;
  readonly browsers: readonly BrowserResult[];
};

/** An execution whole; `browsers` are those of the last attempt. */
export type ExecutionDetail = ExecutionSummary & {
  readonly base_url: string | null;
  readonly attempts: readonly AttemptResult[];
  readonly browsers: readonly BrowserResult[];
};

/** Upper limit for `executionsOfRuns`: two runs of maximal size. */
const MAX_OF_RUNS = 2_000;

/** Conditions on executions. Absent ones do not apply; `until` is exclusive. */
export type ExecutionFilter = {
  readonly status?: ExecutionSummary["status"] | undefined;
  readonly runId?: string | undefined;
  readonly testId?: string | undefined;
  /** Executions of tests of this project. */
  readonly projectId?: string | undefined;
  /** Executions of tests that have the tag now: its name, ignoring case, or its id. */
  readonly tag?: string | undefined;
} & Pick<RunFilter, "testSetId" | "triggeredBy"> &
  Period;

export type Screenshot = ExecutionTables["screenshots"];

export type ExecutionQueries = ReturnType<typeof executionQueries>;

/** URL path of a step's screenshot. */
export const screenshotUrl = (
  shot: Omit<Screenshot, "format" | "name" | "blob_key" | "taken_at">,
) =>
  `/api/v1/tests/${shot.execution_id}/screenshots/${shot.browser}/${shot.step_number}?attempt=${shot.attempt}`;

type Lookups = { readonly stepsOfVersion: StepsOfVersion };

/** Reads executions. Rows have their organisation's id: the caller checks access. */
export const executionQueries = (db: Kysely<ExecutionTables>, lookups: Lookups) => ({
  screenshotsOf: screenshotsOf.bind(null, db),
  findExecutionSummary: findExecutionSummary.bind(null, db),
  stepsOfExecution: stepsOfExecution.bind(null, db, lookups),
  findExecution: findExecution.bind(null, db, lookups),
  runExecutions: runExecutions.bind(null, db),
  executionsOfRuns: executionsOfRuns.bind(null, db),
  listExecutions: listExecutions.bind(null, db),
  findScreenshot: findScreenshot.bind(null, db),
});

/** An execution without its steps; null if there is none. */
const findExecutionSummary = async (
  db: Kysely<ExecutionTables>,
  id: string,
): Promise<ExecutionSummary | null> => {
  const row = await findRow(db, id);
  return (row && (await summariesOf(db, [row]))[0]) ?? null;
};

/** The steps of an execution, with calls replaced by the called steps; null if it or a test version is missing. */
const stepsOfExecution = async (
  db: Kysely<ExecutionTables>,
  lookups: Lookups,
  id: string,
): Promise<readonly Step[] | null> => {
  const row = await findRow(db, id);
  if (!row) return null;
  const calls = (row.calls as readonly PinnedCall[] | null) ?? [];
  const { testId, version } = placeOfSteps(row);
  return lookups.stepsOfVersion(testId, version, calls);
};

/** Executions of a run in order, after `cursor`: up to `limit`, plus one if there are more. */
const runExecutions = async (
  db: Kysely<ExecutionTables>,
  runId: string,
  page: Page,
): Promise<ExecutionSummary[]> => {
  const rows = await db
    .selectFrom("executions")
    .selectAll()
    .where("run_id", "=", runId)
    .$if(page.cursor !== undefined, (q) =>
      q.where("place", ">", (eb) =>
        eb
          .selectFrom("executions as last")
          .select("last.place")
          .where("last.id", "=", page.cursor ?? ""),
      ),
    )
    .orderBy("place")
    .limit(page.limit + 1)
    .execute();
  return summariesOf(db, rows);
};

/** Executions of several runs of an organisation, by run and place, up to 2,000. */
const executionsOfRuns = async (
  db: Kysely<ExecutionTables>,
  organizationId: string,
  runIds: readonly string[],
): Promise<ExecutionSummary[]> => {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom("executions")
    .selectAll()
    .where("run_id", "in", runIds)
    .where("organization_id", "=", organizationId)
    .orderBy("run_id")
    .orderBy("place")
    .limit(MAX_OF_RUNS)
    .execute();
  return summariesOf(db, rows);
};

/** The screenshot of a step in the given attempt, by default in the last attempt that has one. */
const findScreenshot = async (
  db: Kysely<ExecutionTables>,
  executionId: string,
  browser: string,
  stepNumber: number,
  attempt?: number,
): Promise<Screenshot | null> => {
  const row = await db
    .selectFrom("screenshots")
    .selectAll()
    .where("execution_id", "=", executionId)
    .where("browser", "=", browser)
    .where("step_number", "=", stepNumber)
    .$if(attempt !== undefined, (q) => q.where("attempt", "=", attempt ?? 0))
    .orderBy("attempt", "desc")
    .executeTakeFirst();
  return row ?? null;
};

/** Executions of an organisation in order, after `cursor`: up to `limit`, plus one if there are more. */
const listExecutions = async (
  db: Kysely<ExecutionTables>,
  organizationId: string,
  page: Page,
  filter: ExecutionFilter = {},
): Promise<ExecutionSummary[]> => {
  const { status, runId, testId, projectId, tag, testSetId, triggeredBy } = filter;
  const all = db.selectFrom("executions").selectAll().where("organization_id", "=", organizationId);
  let rows = inOrder(within(all, "created_at", filter), page);
  if (status !== undefined) rows = rows.where("status", "=", status);
  if (runId !== undefined) rows = rows.where("run_id", "=", runId);
  if (testId !== undefined) rows = rows.where("test_id", "=", testId);
  if (projectId !== undefined) {
    rows = rows.where(
      sql<boolean>`test_id in (select id from tests where project_id = ${projectId})`,
    );
  }
  if (tag !== undefined) {
    rows = rows.where(sql<boolean>`test_id in (${taggedTests(organizationId, tag)})`);
  }
  if (testSetId !== undefined || triggeredBy !== undefined) {
    const runs = matchingRuns(db as never, organizationId, { testSetId, triggeredBy });
    rows = rows.where(sql<boolean>`run_id in (${runs.clearSelect().select("runs.id")})`);
  }
  return summariesOf(db, await rows.execute());
};

const screenshotsOf = (db: Kysely<ExecutionTables>, executionId: string): Promise<Screenshot[]> =>
  db
    .selectFrom("screenshots")
    .selectAll()
    .where("execution_id", "=", executionId)
    .orderBy("attempt")
    .orderBy("browser")
    .orderBy("step_number")
    .execute();

const findRow = (db: Kysely<ExecutionTables>, id: string) =>
  db.selectFrom("executions").selectAll().where("id", "=", id).executeTakeFirst();

/** An execution with every step of its test, pending ones included; null if there is none. */
const findExecution = async (
  db: Kysely<ExecutionTables>,
  lookups: Lookups,
  id: string,
): Promise<ExecutionDetail | null> => {
  const row = await findRow(db, id);
  if (!row) return null;
  const calls = (row.calls as readonly PinnedCall[] | null) ?? [];
  const { testId, version } = placeOfSteps(row);
  const planned = (await lookups.stepsOfVersion(testId, version, calls)) ?? [];
  const attempts = (await attemptsOf(db, [id])).get(id) ?? [];
  const browsers = (await browsersOf(db, [id])).get(id) ?? [];
  const steps = (await stepsOf(db, [id])).get(id) ?? [];
  const healed = (await healedStepsOf(db, [id])).get(id) ?? [];
  const shots = await screenshotsOf(db, id);
  const browserResult = (one: (typeof browsers)[number]): BrowserResult => {
    const within = (part: { attempt: number; browser: string }) =>
      part.attempt === one.attempt && part.browser === one.browser;
    const isOver = row.finished_at !== null;
    return {
      browser: one.browser,
      browser_version: one.browser_version,
      status: partStatus(row, one.status),
      duration_ms: one.duration_ms,
      error: one.error,
      steps: stepResults(
        planned,
        steps.filter(within),
        healed.filter(within),
        shots.filter(within),
        isOver,
      ),
    };
  };
  const results = attempts.map(
    ({ attempt, status, duration_ms, error }): AttemptResult => ({
      number: attempt,
      status: partStatus(row, status),
      duration_ms,
      error,
      browsers: browsers.filter((one) => one.attempt === attempt).map(browserResult),
    }),
  );
  const [summary] = await summariesOf(db, [row]);
  if (!summary) return null;
  return {
    ...summary,
    base_url: row.base_url,
    attempts: results,
    browsers: results.at(-1)?.browsers ?? [],
  };
};

/** Every step with its result or `pending`. A step still running at the end of the execution is `skipped`. */
const stepResults = (
  planned: readonly Step[],
  recorded: readonly ExecutionTables["execution_steps"][],
  healed: readonly ExecutionTables["healed_steps"][],
  shots: readonly Screenshot[],
  isOver: boolean,
): StepResult[] =>
  planned.map(({ action, target, value, description }, index) => {
    const number = index + 1;
    const result = recorded.find((one) => one.number === number);
    const shot = shots.find((one) => one.step_number === number);
    return {
      number,
      action,
      target,
      value,
      description,
      status: isOver && result?.status === "running" ? "skipped" : (result?.status ?? "pending"),
      duration_ms: result?.duration_ms ?? null,
      error: result?.error ?? null,
      locator: result?.locator ?? null,
      reason: result?.reason ?? null,
      is_gap: result?.is_gap ?? false,
      healed_target: healed.find((one) => one.number === number)?.healed_target ?? null,
      notes: (result?.notes as string[] | null | undefined) ?? [],
      evidence: (result?.evidence as SeenBox | null | undefined) ?? null,
      page_problems: (result?.page as PageProblems | null | undefined) ?? null,
      screenshot_url: shot ? screenshotUrl(shot) : null,
    };
  });
