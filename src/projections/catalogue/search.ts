import { type Kysely, type RawBuilder, sql } from "kysely";
import { searchWords } from "../../domain/catalogue/searchWords.ts";
import { writtenOnce } from "./compiledQuery.ts";
import { type AllTables, type Page, summaryColumns, type TestSummary, tagsOfTest } from "./rows.ts";

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

/** So many of the newest tests are looked through before the index of words is asked: it takes long for what most tests have. */
const MAX_WALKED = 8_000;

/** More words than this are not looked for. */
const MAX_WORDS = 20;

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** So many words may have been meant by one, the likest. */
const MAX_MEANT = 10;
/** Fewer letters are a part of too many words. */
const MIN_PART = 3;

/** How well a test fits: where it has the words, and how like its name is to what was asked. */
const rankBy = (query: RawBuilder<unknown>, phrase: string): RawBuilder<number> =>
  sql`(ts_rank(tests.search, ${query}) + word_similarity(${phrase}, tests.name_words))`;

type Ranking = {
  readonly organizationId: string;
  readonly page: Page;
  readonly filter: TestFilter;
  readonly matches: RawBuilder<boolean>;
  readonly rank: RawBuilder<number>;
};

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
              .select("test_tags.tag_id")
              .whereRef("test_tags.test_id", "=", "tests.id")
              .where("test_tags.tag_id", "=", tagNamed(organizationId, tag ?? "")),
          ),
        ),
      );
  };

  /** The id of a tag by its name, in any case of letters, or by its id. */
  const tagNamed = (organizationId: string, tag: string) =>
    db
      .selectFrom("tags")
      .select("tags.id")
      .where("tags.organization_id", "=", organizationId)
      .where((eb) =>
        isId(tag)
          ? eb("tags.id", "=", tag)
          : eb(eb.fn<string>("lower", ["tags.name"]), "=", tag.toLowerCase()),
      )
      .limit(1);

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
    if (tag !== undefined) return withTag(organizationId, page, filter, tag);
    const values = [organizationId, projectId, folderId, page.cursor, page.limit + 1];
    return listOfTests(values.map((value) => value !== undefined).join(" "), values, build);
  };

  /** By the tag, which leads to its tests in the order of the list: what else is asked picks among them. */
  const withTag = (
    organizationId: string,
    page: Page,
    { projectId, folderId }: TestFilter,
    tag: string,
  ): Promise<TestSummary[]> =>
    matching(organizationId, { projectId, folderId })
      .innerJoin("test_tags", "test_tags.test_id", "tests.id")
      .select([...summaryColumns, tagsOfTest.as("tags")])
      .where("test_tags.tag_id", "=", tagNamed(organizationId, tag))
      .$if(page.cursor !== undefined, (q) => q.where("test_tags.test_id", "<", page.cursor ?? ""))
      .orderBy("test_tags.test_id", "desc")
      .limit(page.limit + 1)
      .execute();

  /**
   * The page of what matches, best first, of which only the newest are ranked. What many tests have is found among the
   * newest of all. Else the index of words is asked, for all that match: asked for the newest of them alone, PostgreSQL would
   * guess that it comes upon enough by reading all tests.
   */
  const ranked = (
    on: Kysely<AllTables>,
    { organizationId, page, filter, matches, rank }: Ranking,
  ): Promise<TestSummary[]> => {
    const after = on
      .selectFrom("tests")
      .select([rank.as("rank"), "tests.id"])
      .where("tests.id", "=", page.cursor ?? "")
      .where("tests.organization_id", "=", organizationId);
    return on
      .with(
        (cte) => cte("lately").materialized(),
        () =>
          on
            .selectFrom(
              matching(organizationId, filter, on)
                .select(["tests.id", sql`tests.search`.as("search")])
                .orderBy("tests.id", "desc")
                .limit(MAX_WALKED)
                .as("tests"),
            )
            .where(matches)
            .select("tests.id")
            .limit(MAX_RANKED),
      )
      .with(
        (cte) => cte("found").materialized(),
        () =>
          matching(organizationId, filter, on)
            .where(matches)
            .where(sql<boolean>`(select count(*) from lately) < ${sql.lit(MAX_RANKED)}`)
            .select("tests.id"),
      )
      .with(
        (cte) => cte("newest").materialized(),
        (db) =>
          db
            .selectFrom("lately")
            .select("id")
            .where(sql<boolean>`(select count(*) from lately) = ${sql.lit(MAX_RANKED)}`)
            .unionAll(db.selectFrom("found").select("id"))
            .orderBy("id", "desc")
            .limit(MAX_RANKED),
      )
      .with(
        (cte) => cte("ranked").materialized(),
        (db) =>
          db
            .selectFrom("newest")
            .innerJoin("tests", "tests.id", "newest.id")
            .select([...summaryColumns, rank.as("rank")]),
      )
      .selectFrom("ranked as tests")
      .select([...summaryColumns, tagsOfTest.as("tags")])
      .$if(page.cursor !== undefined, (q) =>
        q.where(sql<boolean>`(tests.rank, tests.id) < (${after})`),
      )
      .orderBy("tests.rank", "desc")
      .orderBy("tests.id", "desc")
      .limit(page.limit + 1)
      .execute();
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
    const about = { organizationId, page, filter, rank: rankBy(query, phrase) };
    const found = await ranked(db, { ...about, matches: hasWords });
    if (found.length > 0) return found;
    if (page.cursor !== undefined) {
      // The end of the list, unless it is one of what is like the words.
      const any = await ranked(db, { ...about, page: { limit: 0 }, matches: hasWords });
      if (any.length > 0) return [];
    }
    // Only where nothing has the words: those of names that they are a part of, or that have a letter otherwise.
    const meant = await wordsLike(organizationId, words);
    if (meant.length === 0) return [];
    const each = meant.map((some) => `(${some.map((word) => `'${word}':A`).join(" | ")})`);
    const meantQuery = sql`to_tsquery('simple', ${each.join(" & ")})`;
    return ranked(db, {
      ...about,
      matches: sql<boolean>`tests.search @@ ${meantQuery}`,
      rank: rankBy(meantQuery, phrase),
    });
  };

  /** For each of these words, as far as there are any, the words of names that may have been meant. */
  const wordsLike = (
    organizationId: string,
    words: readonly string[],
  ): Promise<readonly (readonly string[])[]> =>
    db.transaction().execute(async (trx) => {
      // Two letters that changed places are less alike than PostgreSQL takes for like.
      await sql`set local pg_trgm.word_similarity_threshold = 0.35`.execute(trx);
      const found: (readonly string[])[] = [];
      for (const word of new Set(words)) {
        const rows = await trx
          .selectFrom("test_words")
          .select("word")
          .where("organization_id", "=", organizationId)
          .where(
            word.length < MIN_PART
              ? sql<boolean>`${word} <% word`
              : sql<boolean>`(${word} <% word or word like ${`%${word}%`})`,
          )
          .orderBy(sql`word_similarity(${word}, word)`, "desc")
          .orderBy("word")
          .limit(MAX_MEANT)
          .execute();
        if (rows.length > 0) found.push(rows.map((row) => row.word));
      }
      return found;
    });

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
