import { type Compilable, CompiledQuery, type Kysely } from "kysely";
import type { Step } from "../domain/catalogue/step.ts";
import { DomainError } from "../domain/kernel/errors.ts";
import type { CatalogueTables } from "./catalogue.ts";

export type ProjectRow = CatalogueTables["projects"];

/** A test as lists show it. */
export type TestSummary = Omit<CatalogueTables["tests"], "steps" | "text">;

/** A test whole. */
export type TestDetail = Omit<CatalogueTables["tests"], "steps"> & {
  readonly steps: readonly Step[];
};

/** What a test was at a version: what a run of that version is about. */
export type TestVersion = Omit<CatalogueTables["test_versions"], "steps"> & {
  readonly steps: readonly Step[];
};

/** A test as a run pins it. Whose it is comes with it: foreign and unknown are told apart by the caller. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
};

type Page = { readonly limit: number; readonly cursor?: string | undefined };

export type CatalogueQueries = ReturnType<typeof catalogueQueries>;

/** One more than a run may have: enough to see that there are too many. */
const MAX_PINNED = 1_001;

const summaryColumns = [
  "id",
  "organization_id",
  "project_id",
  "name",
  "language",
  "platform",
  "step_count",
  "created_at",
  "updated_at",
  "version",
] as const;

const pinColumns = [
  "id as testId",
  "organization_id as organizationId",
  "version",
  "name",
  "step_count as stepCount",
] as const;

/**
 * Runs a query that is asked for often. Its text is made by the query builder once for each `shape`, of which there
 * are a few: to build it took as long as all else that is done for the answer. `values` are what differs, in
 * the order in which the text has them; those that the shape leaves out are undefined.
 */
const writtenOnce = <Row>(db: Kysely<CatalogueTables>) => {
  const texts = new Map<string, string>();
  return async (
    shape: string,
    values: readonly unknown[],
    build: () => Compilable<Row>,
  ): Promise<Row[]> => {
    const text = texts.get(shape) ?? build().compile().sql;
    texts.set(shape, text);
    const given = values.filter((value) => value !== undefined);
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, given))).rows;
  };
};

/** Projects and tests as read models have them. Whose they are comes with them: the caller decides who may see them. */
export const catalogueQueries = (db: Kysely<CatalogueTables>) => {
  const listOfTests = writtenOnce<TestSummary>(db);

  const findVersion = async (testId: string, version: number): Promise<TestVersion | null> => {
    const row = await db
      .selectFrom("test_versions")
      .selectAll()
      .where("test_id", "=", testId)
      .where("version", "<=", version)
      .orderBy("version", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? { ...row, steps: row.steps as readonly Step[] } : null;
  };

  const projectTests = async (
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
    return db
      .selectFrom("tests")
      .select(pinColumns)
      .where("project_id", "=", projectId)
      .where("organization_id", "=", organizationId)
      .orderBy("id")
      .limit(MAX_PINNED)
      .execute();
  };

  return {
    /** A project, whosever it is; null when there is none of that id. */
    findProject: async (id: string): Promise<ProjectRow | null> => {
      const row = await db
        .selectFrom("projects")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Projects of an organisation, newest first, one more than `limit` where there are more; after the project `cursor`. */
    listProjects: (organizationId: string, page: Page): Promise<ProjectRow[]> =>
      db
        .selectFrom("projects")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
        .orderBy("id", "desc")
        .limit(page.limit + 1)
        .execute(),

    /** A test with its current steps, whosever it is; null when there is none of that id. */
    findTest: async (id: string): Promise<TestDetail | null> => {
      const row = await db.selectFrom("tests").selectAll().where("id", "=", id).executeTakeFirst();
      return row ? { ...row, steps: row.steps as readonly Step[] } : null;
    },

    /** Tests of an organisation, newest first, one more than `limit` where there are more; after the test `cursor`. */
    listTests: (
      organizationId: string,
      page: Page,
      filter: { readonly projectId?: string | undefined } = {},
    ): Promise<TestSummary[]> =>
      listOfTests(
        `${filter.projectId !== undefined} ${page.cursor !== undefined}`,
        [organizationId, filter.projectId, page.cursor, page.limit + 1],
        () =>
          db
            .selectFrom("tests")
            .select(summaryColumns)
            .where("organization_id", "=", organizationId)
            .$if(filter.projectId !== undefined, (q) =>
              q.where("project_id", "=", filter.projectId ?? ""),
            )
            .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
            .orderBy("id", "desc")
            .limit(page.limit + 1),
      ),

    /**
     * Tests as they are now, for a run to pin: those named, in the order of the names, unknown ones left
     * out and foreign ones with their organisation; or those of a project, oldest first.
     * Throws `project.unknownInRequest` and `project.foreign`.
     */
    pinTests: async (
      organizationId: string,
      selection: { readonly testIds: readonly string[] } | { readonly projectId: string },
    ): Promise<readonly PinnedTest[]> => {
      if ("projectId" in selection) return projectTests(organizationId, selection.projectId);
      if (selection.testIds.length === 0) return [];
      const rows: PinnedTest[] = await db
        .selectFrom("tests")
        .select(pinColumns)
        .where("id", "in", selection.testIds)
        .execute();
      const byId = new Map(rows.map((row) => [row.testId, row]));
      return selection.testIds.flatMap((id) => byId.get(id) ?? []);
    },

    /** What a test was at a version (also once it is deleted); null when there is no such test. */
    findVersion,

    /** The steps of a test as they were at a version, in order; null when there is no such test. */
    stepsOfVersion: async (testId: string, version: number): Promise<readonly Step[] | null> =>
      (await findVersion(testId, version))?.steps ?? null,
  };
};
