import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Shown } from "../../domain/baselines/baseline.ts";
import type { Picture, VisualOutcome } from "../../domain/baselines/picture.ts";
import { type VisualSettings, visualSettings } from "../../domain/baselines/settings.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { Principal } from "../../domain/usage/spender.ts";
import type { Database } from "../../platform/database/database.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";
import type { ExecutionTables } from "../runs/executions/tables.ts";
import { triggeredBy } from "../runs/triggeredBy.ts";
import type { BaselineTables } from "./baselines.ts";

type Tables = BaselineTables & ExecutionTables & PersonTables;

/** Baseline of a step in a browser at a viewport. */
export type BaselineRow = {
  readonly step_id: string;
  readonly browser: string;
  readonly viewport: string;
  readonly approved: Shown | null;
  readonly approved_at: string | null;
  /** `user:<e-mail>` or `api:<key name>`. */
  readonly approved_by: string | null;
  readonly proposed: Shown | null;
  readonly proposed_at: string | null;
};

export type BaselinesOfTest = {
  readonly settings: VisualSettings;
  readonly version: number;
  readonly items: readonly BaselineRow[];
};

/** Result of comparing a picture of an execution. */
export type ComparisonRow = {
  readonly organizationId: string;
  readonly executionId: string;
  readonly runId: string;
  readonly testId: string;
  readonly stepId: string;
  readonly viewport: string;
  readonly browser: BrowserName;
  readonly attempt: number;
  readonly number: number;
  readonly outcome: VisualOutcome;
  readonly pixels: number;
  readonly ratio: number;
  readonly sizeDiffers: boolean;
  readonly threshold: number;
  readonly allowed: number;
  readonly actual: Picture;
  readonly baseline: Picture | null;
  readonly diffKey: string | null;
};

/** A change that a person made to the baselines of a test. */
export type BaselineChange = {
  readonly kind: BaselineTables["baseline_changes"]["kind"];
  /** Step, browser and viewport are null for a change of all baselines. */
  readonly step_id: string | null;
  readonly browser: string | null;
  readonly viewport: string | null;
  readonly by: string;
  readonly at: string;
};

type Db = Kysely<Tables>;

/** Number of baseline events by test id, which a new run pins. Tests without baselines are left out. */
const baselineVersions = async (
  db: Db,
  testIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom("baseline_tests")
    .select(["test_id", "version"])
    .where(sql<boolean>`test_id = any(${[...testIds]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ test_id, version }) => [test_id, version]));
};

/** The baselines of a test, ordered by step, browser and viewport. Settings default to the standard ones. */
const findBaselines = async (
  database: Database["db"],
  testId: string,
): Promise<BaselinesOfTest> => {
  const db: Db = database;
  const test = await db
    .selectFrom("baseline_tests")
    .selectAll()
    .where("test_id", "=", testId)
    .executeTakeFirst();
  const rows = await db
    .selectFrom("baselines")
    .selectAll()
    .where("test_id", "=", testId)
    .orderBy("step_id")
    .orderBy("browser")
    .orderBy("viewport")
    .execute();
  const actors = rows.map((row) => row.approved_by as Principal | null);
  const nameOf = await triggeredBy(
    database,
    actors.filter((actor) => actor !== null),
  );
  return {
    settings: visualSettings.parse(test?.settings ?? {}),
    version: test?.version ?? 0,
    items: rows.map((row, index) => {
      const actor = actors[index];
      return {
        step_id: row.step_id,
        browser: row.browser,
        viewport: row.viewport,
        approved: row.approved as Shown | null,
        approved_at: row.approved_at,
        approved_by: actor ? nameOf(actor) : null,
        proposed: row.proposed as Shown | null,
        proposed_at: row.proposed_at,
      };
    }),
  };
};

/** Changes with `after` < time <= `until`, oldest first, up to `limit`. */
const changesBetween = async (
  database: Database["db"],
  testId: string,
  range: { readonly after: string; readonly until: string; readonly limit: number },
): Promise<BaselineChange[]> => {
  const db: Db = database;
  const rows = await db
    .selectFrom("baseline_changes")
    .select(["kind", "step_id", "browser", "viewport", "actor", "at"])
    .where("test_id", "=", testId)
    .where("at", ">", range.after)
    .where("at", "<=", range.until)
    .orderBy("at")
    .orderBy("id")
    .limit(range.limit)
    .execute();
  const actors = rows.map(({ actor }) => actor as Principal);
  const nameOf = await triggeredBy(database, actors);
  return rows.map(({ actor, ...row }) => ({ ...row, by: nameOf(actor as Principal) }));
};

/** Comparisons of a run. If several attempts compared the same place, only the last one counts. */
const comparisonsOfRun = async (db: Db, runId: string): Promise<ComparisonRow[]> => {
  const last = new Map<string, ComparisonRow>();
  for (const one of await comparisons(db, { runId })) {
    last.set(`${one.executionId} ${one.browser} ${one.number}`, one);
  }
  return [...last.values()];
};

/** Comparisons of the last delivery of each execution, in the order of the run. */
const comparisons = async (
  db: Db,
  by: { readonly runId: string } | { readonly executionId: string },
): Promise<ComparisonRow[]> => {
  const rows = await db
    .selectFrom("visual_comparisons as c")
    .innerJoin("executions as e", (join) =>
      join.onRef("e.id", "=", "c.execution_id").onRef("e.delivery", "=", "c.delivery"),
    )
    .selectAll("c")
    .select(["e.organization_id", "e.place"])
    .$if("runId" in by, (q) => q.where("c.run_id", "=", "runId" in by ? by.runId : ""))
    .$if("executionId" in by, (q) =>
      q.where("c.execution_id", "=", "executionId" in by ? by.executionId : ""),
    )
    .orderBy("e.place")
    .orderBy("c.attempt")
    .orderBy("c.browser")
    .orderBy("c.step_number")
    .execute();
  return rows.map((row) => ({
    organizationId: row.organization_id,
    executionId: row.execution_id,
    runId: row.run_id,
    testId: row.test_id,
    stepId: row.step_id,
    viewport: row.viewport,
    browser: row.browser as BrowserName,
    attempt: row.attempt,
    number: row.step_number,
    outcome: row.outcome,
    pixels: row.pixels,
    ratio: row.ratio,
    sizeDiffers: row.size_differs,
    threshold: row.threshold,
    allowed: row.allowed,
    actual: row.actual as Picture,
    baseline: row.baseline as Picture | null,
    diffKey: row.diff_key,
  }));
};

/** A decision on a picture; `closed` if it was rejected, or a newer picture is proposed or approved. */
export type Review = "open" | "approved" | "closed";

/** Returns the decision on each of some comparisons. */
const reviewsOf = async (
  db: Db,
  comparisons: readonly ComparisonRow[],
): Promise<(one: ComparisonRow) => Review> => {
  const testIds = [...new Set(comparisons.map(({ testId }) => testId))];
  const rows = await db
    .selectFrom("baselines")
    .selectAll()
    .where(sql<boolean>`test_id = any(${testIds}::uuid[])`)
    .execute();
  const places = new Map(rows.map((row) => [reviewKey(row.test_id, row), row]));
  return ({ testId, stepId, browser, viewport, actual }) => {
    const place = places.get(reviewKey(testId, { step_id: stepId, browser, viewport }));
    const isShown = (shown: unknown) => (shown as Shown | null)?.picture.sha256 === actual.sha256;
    if (isShown(place?.proposed)) return "open";
    return isShown(place?.approved) ? "approved" : "closed";
  };
};

const reviewKey = (
  testId: string,
  { step_id, browser, viewport }: Pick<BaselineRow, "step_id" | "browser" | "viewport">,
): string => `${testId} ${step_id} ${browser} ${viewport}`;

export type BaselineQueries = ReturnType<typeof baselineQueries>;

/** These queries do not check permissions: the caller looks up the test or execution first. */
export const baselineQueries = (database: Database["db"]) => ({
  baselineVersions: (testIds: readonly string[]) => baselineVersions(database, testIds),
  findBaselines: findBaselines.bind(null, database),
  changesBetween: changesBetween.bind(null, database),
  comparisonsOfExecution: (executionId: string) => comparisons(database, { executionId }),
  comparisonsOfRun: (runId: string) => comparisonsOfRun(database, runId),
  reviewsOf: (of: readonly ComparisonRow[]) => reviewsOf(database, of),
});
