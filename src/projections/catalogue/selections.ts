import { type Kysely, sql } from "kysely";
import { searchWords } from "../../domain/catalogue/searchWords.ts";
import { comparablePath } from "../../domain/catalogue/source.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { AllTables } from "./rows.ts";
import { isId } from "./testFilter.ts";

/** A test as a run pins it. `organizationId` lets the caller tell foreign tests from unknown ones. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
  readonly projectId: string | null;
  readonly data: TestData;
  /** The path of its file in the repository. */
  readonly source: string | null;
  /** Whether any step calls another test. */
  readonly callsTests: boolean;
};

/** A test that other tests can call, at its current version. */
export type CallableTest = {
  readonly testId: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly Step[];
};

export type TestSelection =
  | { readonly testIds: readonly string[] }
  | { readonly projectId: string }
  | { readonly testSetId: string }
  | { readonly tag: string };

/** One more than a run may have, so that the caller can refuse more. */
const MAX_PINNED = 1_001;

/** Finds the tests of an organisation with one of these ids or names, ignoring case. */
const findCallable = async (
  db: Kysely<AllTables>,
  organizationId: string,
  wanted: readonly string[],
): Promise<readonly CallableTest[]> => {
  if (wanted.length === 0) return [];
  const ids = wanted.filter(isId).map((id) => id.toLowerCase());
  const names = wanted.map((name) => name.toLowerCase());
  // Only the words of a name are indexed.
  const words = [...new Set(wanted.map((name) => searchWords(name).join(" ")))];
  const rows = await db
    .selectFrom("tests")
    .select(["id", "project_id", "name", "version", "steps"])
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where((eb) =>
      eb.or([
        ...(ids.length > 0 ? [eb("id", "in", ids)] : []),
        eb.and([eb("name_words", "in", words), eb(eb.fn<string>("lower", ["name"]), "in", names)]),
      ]),
    )
    .execute();
  return rows.map(({ id, project_id, steps, ...row }) => ({
    ...row,
    testId: id,
    projectId: project_id,
    steps: steps as readonly Step[],
  }));
};

/**
 * Finds the tests that a run pins. Tests selected by id, or by test set, are in that order: unknown ones are left
 * out, foreign ones contained. Tests of a project or tag are oldest first.
 * Throws `….unknownInRequest` and `….foreign` of project, test set and tag.
 */
const pinTests = (
  db: Kysely<AllTables>,
  organizationId: string,
  selection: TestSelection,
): Promise<readonly PinnedTest[]> => {
  if ("projectId" in selection) return testsOfProject(db, organizationId, selection.projectId);
  if ("testSetId" in selection) return testsOfSet(db, organizationId, selection.testSetId);
  if ("tag" in selection) return testsWithTag(db, organizationId, selection.tag);
  return testsById(db, selection.testIds);
};

const testsById = async (
  db: Kysely<AllTables>,
  testIds: readonly string[],
): Promise<readonly PinnedTest[]> => {
  if (testIds.length === 0) return [];
  const rows = await selectPinned(db).where("tests.id", "in", testIds).execute();
  const byId = new Map(rows.map((row) => [row.testId, row]));
  return testIds.flatMap((id) => byId.get(id) ?? []);
};

const testsOfProject = async (
  db: Kysely<AllTables>,
  organizationId: string,
  projectId: string,
): Promise<readonly PinnedTest[]> => {
  const project = await db
    .selectFrom("projects")
    .select("organization_id")
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (!project) {
    throw new DomainError(
      "project.unknownInRequest",
      `project_id: there is no project ${projectId}.`,
    );
  }
  if (project.organization_id !== organizationId) {
    throw new DomainError("project.foreign", "The project belongs to another organisation.");
  }
  return selectPinned(db)
    .where("tests.project_id", "=", projectId)
    .where("tests.organization_id", "=", organizationId)
    .orderBy("tests.id")
    .limit(MAX_PINNED)
    .execute();
};

const testsOfSet = async (
  db: Kysely<AllTables>,
  organizationId: string,
  testSetId: string,
): Promise<readonly PinnedTest[]> => {
  const set = await db
    .selectFrom("test_sets")
    .select(["organization_id", "test_ids"])
    .where("id", "=", testSetId)
    .executeTakeFirst();
  if (!set) {
    throw new DomainError(
      "testSet.unknownInRequest",
      `test_set_ids: there is no test set ${testSetId}.`,
    );
  }
  if (set.organization_id !== organizationId) {
    throw new DomainError("testSet.foreign", "The test set belongs to another organisation.");
  }
  return testsById(db, set.test_ids as readonly string[]);
};

const testsWithTag = async (
  db: Kysely<AllTables>,
  organizationId: string,
  tag: string,
): Promise<readonly PinnedTest[]> => {
  const found = await db
    .selectFrom("tags")
    .select(["id", "organization_id"])
    .where((eb) =>
      isId(tag)
        ? eb("id", "=", tag)
        : eb.and([
            eb("organization_id", "=", organizationId),
            eb(eb.fn<string>("lower", ["name"]), "=", tag.toLowerCase()),
          ]),
    )
    .executeTakeFirst();
  if (!found) throw new DomainError("tag.unknownInRequest", "tag: there is no such tag.");
  if (found.organization_id !== organizationId) {
    throw new DomainError("tag.foreign", "The tag belongs to another organisation.");
  }
  return selectPinned(db)
    .innerJoin("test_tags", "test_tags.test_id", "tests.id")
    .where("test_tags.tag_id", "=", found.id)
    .where("tests.organization_id", "=", organizationId)
    .orderBy("tests.id")
    .limit(MAX_PINNED)
    .execute();
};

const selectPinned = (db: Kysely<AllTables>) =>
  db
    .selectFrom("tests")
    .select([
      "tests.id as testId",
      "tests.organization_id as organizationId",
      "tests.version",
      "tests.name",
      "tests.step_count as stepCount",
      "tests.project_id as projectId",
      "tests.source",
      sql<TestData>`tests.data`.as("data"),
      sql<boolean>`tests.steps @> '[{"action": "call_test"}]'::jsonb`.as("callsTests"),
    ])
    .where("tests.deleted_at", "is", null);

/** Finds the tests of an organisation whose files have one of these paths, ignoring case, in any project. */
const findSources = async (
  db: Kysely<AllTables>,
  organizationId: string,
  paths: readonly string[],
): Promise<
  readonly { readonly testId: string; readonly projectId: string | null; readonly source: string }[]
> => {
  if (paths.length === 0) return [];
  const rows = await db
    .selectFrom("tests")
    .select(["id", "project_id", "source"])
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .where((eb) => eb(eb.fn<string>("lower", ["source"]), "in", paths.map(comparablePath)))
    .execute();
  return rows.flatMap(({ id, project_id, source }) =>
    source === null ? [] : [{ testId: id, projectId: project_id, source }],
  );
};

export const selectionQueries = (db: Kysely<AllTables>) => ({
  findSources: findSources.bind(null, db),
  findCallable: findCallable.bind(null, db),
  pinTests: pinTests.bind(null, db),
});
