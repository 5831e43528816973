import type { Kysely } from "kysely";
import { searchWords } from "../../domain/catalogue/searchWords.ts";
import { inOrder } from "../kernel/newestFirst.ts";
import { cachedQuery } from "./cachedQuery.ts";
import { type AllTables, type Page, summaryColumns, type TestSummary, tagsOfTest } from "./rows.ts";
import { searchTests } from "./search.ts";
import { matchingTests, type TestFilter, tagNamed } from "./testFilter.ts";

/** Further words of a search are ignored. */
const MAX_WORDS = 20;

type RunQuery = ReturnType<typeof cachedQuery<TestSummary>>;

const newestTests = (
  db: Kysely<AllTables>,
  runQuery: RunQuery,
  organizationId: string,
  page: Page,
  filter: TestFilter,
): Promise<TestSummary[]> => {
  const { projectId, folderId, tag, testSetId, since, until } = filter;
  const isRare = [testSetId, since, until].some((value) => value !== undefined);
  if (isRare || page.sort === "created_at") {
    const all = matchingTests(db, organizationId, filter);
    const listed = all.select([...summaryColumns, tagsOfTest.as("tags")]);
    return inOrder(listed, page).execute();
  }
  if (tag !== undefined) return newestWithTag(db, organizationId, page, filter, tag);
  const build = () =>
    matchingTests(db, organizationId, filter)
      .select([...summaryColumns, tagsOfTest.as("tags")])
      .$if(page.cursor !== undefined, (q) => q.where("tests.id", "<", page.cursor ?? ""))
      .orderBy("tests.id", "desc")
      .limit(page.limit + 1);
  const values = [organizationId, projectId, folderId, page.cursor, page.limit + 1];
  return runQuery(values.map((value) => value !== undefined).join(" "), values, build);
};

/** Reads the index of the tag, which has the order of the list. */
const newestWithTag = (
  db: Kysely<AllTables>,
  organizationId: string,
  page: Page,
  { projectId, folderId }: TestFilter,
  tag: string,
): Promise<TestSummary[]> =>
  matchingTests(db, organizationId, { projectId, folderId })
    .innerJoin("test_tags", "test_tags.test_id", "tests.id")
    .select([...summaryColumns, tagsOfTest.as("tags")])
    .where("test_tags.tag_id", "=", tagNamed(db, organizationId, tag))
    .$if(page.cursor !== undefined, (q) => q.where("test_tags.test_id", "<", page.cursor ?? ""))
    .orderBy("test_tags.test_id", "desc")
    .limit(page.limit + 1)
    .execute();

export const testListQueries = (db: Kysely<AllTables>) => {
  const runQuery = cachedQuery<TestSummary>(db);
  return {
    /**
     * Lists the tests of an organisation: newest first unless sorted, or with `filter.q` by rank (see searchTests). Returns up to
     * `limit + 1` rows: the additional row means that there is a next page.
     */
    listTests: (
      organizationId: string,
      page: Page,
      filter: TestFilter = {},
    ): Promise<TestSummary[]> => {
      if (filter.q === undefined) return newestTests(db, runQuery, organizationId, page, filter);
      const words = searchWords(filter.q).slice(0, MAX_WORDS);
      if (words.length === 0) return Promise.resolve([]);
      return searchTests(db, { organizationId, page, filter }, words);
    },
  };
};
