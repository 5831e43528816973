import type { Kysely } from "kysely";
import type { AllTables, Page } from "./rows.ts";
import type { TestSetTables } from "./testSets.ts";

export type TestSetRow = Omit<TestSetTables["test_sets"], "test_ids"> & {
  readonly test_ids: readonly string[];
};

/** A test of a set. `name` and `step_count` are null if it is deleted. */
export type TestSetItem = {
  readonly test_id: string;
  readonly name: string | null;
  readonly step_count: number | null;
};

/** These queries do not check permissions: rows contain `organization_id` for the caller's check. */
export const testSetQueries = (db: Kysely<AllTables>) => {
  const findTestSet = async (id: string): Promise<TestSetRow | null> => {
    const row = await db
      .selectFrom("test_sets")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? withIds(row) : null;
  };

  return {
    findTestSet,

    /** Tests by id, in this order. */
    itemsOf: async (testIds: readonly string[]): Promise<readonly TestSetItem[]> => {
      if (testIds.length === 0) return [];
      const rows = await db
        .selectFrom("tests")
        .select(["id", "name", "step_count"])
        .where("id", "in", testIds)
        .where("deleted_at", "is", null)
        .execute();
      const byId = new Map(rows.map((row) => [row.id, row]));
      return testIds.map((testId) => {
        const test = byId.get(testId);
        return { test_id: testId, name: test?.name ?? null, step_count: test?.step_count ?? null };
      });
    },

    /** Newest first. Returns up to `limit + 1` rows. */
    listTestSets: async (
      organizationId: string,
      page: Page,
      projectId?: string,
    ): Promise<readonly TestSetRow[]> => {
      const rows = await db
        .selectFrom("test_sets")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .$if(projectId !== undefined, (q) => q.where("project_id", "=", projectId ?? ""))
        .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
        .orderBy("id", "desc")
        .limit(page.limit + 1)
        .execute();
      return rows.map(withIds);
    },
  };
};

const withIds = (row: TestSetTables["test_sets"]): TestSetRow => ({
  ...row,
  test_ids: row.test_ids as readonly string[],
});
