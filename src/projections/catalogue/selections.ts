import { type Kysely, sql } from "kysely";
import { searchWords } from "../../domain/catalogue/searchWords.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { AllTables } from "./rows.ts";
import { isId } from "./search.ts";

/** A test as a run pins it. Whose it is comes with it: foreign and unknown are told apart by the caller. */
export type PinnedTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly name: string;
  readonly stepCount: number;
  readonly projectId: string | null;
  /** The rows with which it runs. */
  readonly data: TestData;
  /** Whether any of its steps calls another test. */
  readonly callsTests: boolean;
};

/** A test that may be called, with its steps as they are now. */
export type CallableTest = {
  readonly testId: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly version: number;
  readonly steps: readonly Step[];
};

/** One more than a run may have: enough to see that there are too many. */
const MAX_PINNED = 1_001;

const pinColumns = [
  "tests.id as testId",
  "tests.organization_id as organizationId",
  "tests.version",
  "tests.name",
  "tests.step_count as stepCount",
  "tests.project_id as projectId",
  sql<TestData>`tests.data`.as("data"),
  sql<boolean>`tests.steps @> '[{"action": "call_test"}]'::jsonb`.as("callsTests"),
] as const;

/** Which tests a run is asked to have. */
export const pinQueries = (db: Kysely<AllTables>) => {
  const pinned = () =>
    db.selectFrom("tests").select(pinColumns).where("tests.deleted_at", "is", null);

  const named = async (testIds: readonly string[]): Promise<readonly PinnedTest[]> => {
    if (testIds.length === 0) return [];
    const rows = await pinned().where("tests.id", "in", testIds).execute();
    const byId = new Map(rows.map((row) => [row.testId, row]));
    return testIds.flatMap((id) => byId.get(id) ?? []);
  };

  const ofProject = async (
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
    return pinned()
      .where("tests.project_id", "=", projectId)
      .where("tests.organization_id", "=", organizationId)
      .orderBy("tests.id")
      .limit(MAX_PINNED)
      .execute();
  };

  const ofTestSet = async (
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
    return named(set.test_ids as readonly string[]);
  };

  const ofTag = async (organizationId: string, tag: string): Promise<readonly PinnedTest[]> => {
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
    return pinned()
      .innerJoin("test_tags", "test_tags.test_id", "tests.id")
      .where("test_tags.tag_id", "=", found.id)
      .where("tests.organization_id", "=", organizationId)
      .orderBy("tests.id")
      .limit(MAX_PINNED)
      .execute();
  };

  return {
    /** The tests of an organisation with one of these ids, or of these names in any case of letters. */
    findCallable: async (
      organizationId: string,
      wanted: readonly string[],
    ): Promise<readonly CallableTest[]> => {
      if (wanted.length === 0) return [];
      const ids = wanted.filter(isId).map((id) => id.toLowerCase());
      const names = wanted.map((name) => name.toLowerCase());
      // By the words of the name, which an index has.
      const words = [...new Set(wanted.map((name) => searchWords(name).join(" ")))];
      const rows = await db
        .selectFrom("tests")
        .select(["id", "project_id", "name", "version", "steps"])
        .where("organization_id", "=", organizationId)
        .where("deleted_at", "is", null)
        .where((eb) =>
          eb.or([
            ...(ids.length > 0 ? [eb("id", "in", ids)] : []),
            eb.and([
              eb("name_words", "in", words),
              eb(eb.fn<string>("lower", ["name"]), "in", names),
            ]),
          ]),
        )
        .execute();
      return rows.map(({ id, project_id, steps, ...row }) => ({
        ...row,
        testId: id,
        projectId: project_id,
        steps: steps as readonly Step[],
      }));
    },

    /**
     * Tests as they are now, for a run to pin: those named, in the order of the names, unknown ones left
     * out and foreign ones with their organisation; those of a test set, in its order; or those of a project or
     * with a tag (its name or its id), oldest first.
     * Throws `….unknownInRequest` and `….foreign` of project, test set and tag.
     */
    pinTests: (
      organizationId: string,
      selection:
        | { readonly testIds: readonly string[] }
        | { readonly projectId: string }
        | { readonly testSetId: string }
        | { readonly tag: string },
    ): Promise<readonly PinnedTest[]> => {
      if ("projectId" in selection) return ofProject(organizationId, selection.projectId);
      if ("testSetId" in selection) return ofTestSet(organizationId, selection.testSetId);
      if ("tag" in selection) return ofTag(organizationId, selection.tag);
      return named(selection.testIds);
    },
  };
};
