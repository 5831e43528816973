import type { Kysely } from "kysely";
import {
  type CalledStep,
  inlineCalls,
  type PinnedCall,
  versionsCalled,
} from "../../domain/catalogue/calls.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import { environmentQueries } from "./environmentQueries.ts";
import { folderQueries } from "./folders.ts";
import { historyQueries } from "./history.ts";
import {
  type AllTables,
  type Page,
  type ProjectRow,
  summaryColumns,
  type TestDetail,
  type TestVersion,
  tagsOfTest,
} from "./rows.ts";
import { selectionQueries } from "./selections.ts";
import { tagQueries } from "./tagQueries.ts";
import { testListQueries } from "./testLists.ts";
import { testSetQueries } from "./testSetQueries.ts";

export type CatalogueQueries = ReturnType<typeof catalogueQueries>;

/** These queries do not check permissions: rows contain `organization_id` for the caller's check. */
export const catalogueQueries = (db: Kysely<AllTables>) => ({
  ...folderQueries(db),
  ...historyQueries(db),
  ...testListQueries(db),
  ...selectionQueries(db),
  ...tagQueries(db),
  ...testSetQueries(db),
  ...environmentQueries(db),
  findProject: findProject.bind(null, db),
  listProjects: listProjects.bind(null, db),
  findTest: findTest.bind(null, db),
  findVersion: findVersion.bind(null, db),
  stepsOfVersion: stepsOfVersion.bind(null, db),
});

const findVersion = async (
  db: Kysely<AllTables>,
  testId: string,
  version: number,
): Promise<TestVersion | null> => {
  const row = await db
    .selectFrom("test_versions")
    .selectAll()
    .where("test_id", "=", testId)
    .where("version", "<=", version)
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? { ...row, steps: row.steps as readonly Step[], data: row.data as TestData } : null;
};

const findProject = async (db: Kysely<AllTables>, id: string): Promise<ProjectRow | null> => {
  const row = await db.selectFrom("projects").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
};

/** Newest first. Returns up to `limit + 1` rows. */
const listProjects = (
  db: Kysely<AllTables>,
  organizationId: string,
  page: Page,
): Promise<ProjectRow[]> =>
  db
    .selectFrom("projects")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();

/** Returns null for a deleted test unless `deletedToo` is set. */
const findTest = async (
  db: Kysely<AllTables>,
  id: string,
  options: { readonly deletedToo?: boolean } = {},
): Promise<TestDetail | null> => {
  const row = await db
    .selectFrom("tests")
    .select([...summaryColumns, "tests.text", "tests.steps", tagsOfTest.as("tags")])
    .where("tests.id", "=", id)
    .$if(options.deletedToo !== true, (q) => q.where("tests.deleted_at", "is", null))
    .executeTakeFirst();
  return row ? { ...row, steps: row.steps as readonly Step[] } : null;
};

/**
 * The steps of a version with pinned calls replaced by the steps of the called tests. Null if the test or a called
 * test does not exist.
 */
const stepsOfVersion = async (
  db: Kysely<AllTables>,
  testId: string,
  version: number,
  calls: readonly PinnedCall[] = [],
): Promise<readonly CalledStep[] | null> => {
  const root = await findVersion(db, testId, version);
  if (!root || calls.length === 0) return root?.steps ?? null;
  const called = new Map<string, readonly Step[]>();
  for (const one of versionsCalled(calls)) {
    const found = await findVersion(db, one.testId, one.version);
    if (!found) return null;
    called.set(`${one.testId} ${one.version}`, found.steps);
  }
  const { steps } = root;
  return inlineCalls({ testId, steps }, calls, (id, at) => called.get(`${id} ${at}`));
};
