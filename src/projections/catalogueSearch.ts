import { type Kysely, sql } from "kysely";
import { searchWords } from "../domain/catalogue/searchWords.ts";
import {
  type AllTables,
  type Page,
  summaryColumns,
  type TestSummary,
  tagsOfTest,
} from "./catalogueRows.ts";
import { writtenOnce } from "./writtenOnce.ts";

/** Which tests of an organisation a list shows. */
export type TestFilter = {
  readonly projectId?: string | undefined;
  readonly folderId?: string | undefined;
  /** The name of a tag, in any case, or its id. */
  readonly tag?: string | undefined;
  /** What to look for in name, text and steps. */
  readonly q?: string | undefined;
};

/** Ranked are the newest of those that match, at most this many: with more, what is looked for is too common to be ranked. */
const MAX_RANKED = 500;

/** More words than this are not looked for. */
const MAX_WORDS = 20;

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a text is an id rather than a name. */
export const isId = (text: string): boolean => ID.test(text);

/** The lists of tests: newest first, or, where something is looked for, best first. One more than `limit` where there are more. */
export const searchQueries = (db: Kysely<AllTables>) => {
  const matching = (organizationId: string, filter: TestFilter, on: Kysely<AllTables> = db) => {
    const { projectId, folderId, tag } = filter;
    return on
      .selectFrom("tests")
      .where("tests.organization_id", "=", organizationId)
      .where("tests.deleted_at", "is", null)
      .$if(projectId !== undefined, (q) => q.where("tests.project_id", "=", projectId ?? ""))
      .$if(folderId !== undefined, (q) => q.where("tests.folder_id", "=", folderId ?? ""))
      .$if(tag !== undefined, (q) =>
        q.where((eb) =>
          eb.exists(
            eb
              .selectFrom("test_tags")
              .innerJoin("tags", "tags.id", "test_tags.tag_id")
              .select("tags.id")
              .whereRef("test_tags.test_id", "=", "tests.id")
              .where("tags.organization_id", "=", organizationId)
              .where((tagged) =>
                isId(tag ?? "")
                  ? tagged("tags.id", "=", tag ?? "")
                  : tagged(
                      tagged.fn<string>("lower", ["tags.name"]),
                      "=",
                      (tag ?? "").toLowerCase(),
                    ),
              ),
          ),
        ),
      );
  };

  const listOfTests = writtenOnce<TestSummary>(db);

  const newest = (
    organizationId: string,
    page: Page,
    filter: TestFilter,
  ): Promise<TestSummary[]> => {
    const { projectId, folderId, tag } = filter;
    const build = () =>
      matching(organizationId, filter)
        .select([...summaryColumns, tagsOfTest.as("tags")])
        .$if(page.cursor !== undefined, (q) => q.where("tests.id", "<", page.cursor ?? ""))
        .orderBy("tests.id", "desc")
        .limit(page.limit + 1);
    if (tag !== undefined) return build().execute();
    const values = [organizationId, projectId, folderId, page.cursor, page.limit + 1];
    return listOfTests(values.map((value) => value !== undefined).join(" "), values, build);
  };

  const best = async (
    organizationId: string,
    page: Page,
    filter: TestFilter,
    words: readonly string[],
  ): Promise<TestSummary[]> => {
    const phrase = words.join(" ");
    // Each word as the beginning of one.
    const query = sql`to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(" & ")})`;
    const hasWords = sql<boolean>`tests.search @@ ${query}`;
    // Only where nothing has the words: a part of a name, or a name with a letter wrong, by its trigrams.
    const isLike = sql<boolean>`(${phrase} <% tests.name_words or tests.name_words like ${`%${phrase}%`})`;
    const some = await matching(organizationId, filter)
      .where(hasWords)
      .select("tests.id")
      .limit(1)
      .executeTakeFirst();
    const rank = sql<number>`(ts_rank(tests.search, ${query}) + word_similarity(${phrase}, tests.name_words))`;
    const ranked = (on: Kysely<AllTables>, matches: typeof hasWords): Promise<TestSummary[]> => {
      const candidates = matching(organizationId, filter, on)
        .where(matches)
        .select(["tests.id", rank.as("rank")])
        .orderBy("tests.id", "desc")
        .limit(MAX_RANKED);
      const after = on
        .selectFrom("tests")
        .select([rank.as("rank"), "tests.id"])
        .where("tests.id", "=", page.cursor ?? "")
        .where("tests.organization_id", "=", organizationId);
      return on
        .selectFrom(candidates.as("found"))
        .innerJoin("tests", "tests.id", "found.id")
        .select([...summaryColumns, tagsOfTest.as("tags")])
        .$if(page.cursor !== undefined, (q) =>
          q.where(sql<boolean>`(found.rank, found.id) < (${after})`),
        )
        .orderBy("found.rank", "desc")
        .orderBy("found.id", "desc")
        .limit(page.limit + 1)
        .execute();
    };
    if (some) return ranked(db, hasWords);
    return db.transaction().execute(async (trx) => {
      // Two letters that changed places are less alike than PostgreSQL takes for like.
      await sql`set local pg_trgm.word_similarity_threshold = 0.35`.execute(trx);
      return ranked(trx, isLike);
    });
  };

  return {
    /**
     * Tests of an organisation, newest first; with `q`, those in which every word of it begins a word of name, text or
     * steps, and where there is none, those whose name is like it, best first. `cursor`: the test that the page before ended with.
     */
    listTests: (
      organizationId: string,
      page: Page,
      filter: TestFilter = {},
    ): Promise<TestSummary[]> => {
      if (filter.q === undefined) return newest(organizationId, page, filter);
      const words = searchWords(filter.q).slice(0, MAX_WORDS);
      if (words.length === 0) return Promise.resolve([]);
      return best(organizationId, page, filter, words);
    },
  };
};
