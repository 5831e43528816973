import { type Kysely, type RawBuilder, sql } from "kysely";
import { type AllTables, type Page, summaryColumns, type TestSummary, tagsOfTest } from "./rows.ts";
import { matchingTests, type TestFilter } from "./testFilter.ts";

/** Number of matches that are ranked, newest first. Ranking more would be slow for words that most tests contain. */
const MAX_RANKED = 500;
/** Number of newest tests that are scanned before the word index, which is slow for words that most tests contain. */
const MAX_SCANNED = 8_000;
/** Number of similar words per searched word. */
const MAX_SIMILAR = 10;
/** Shorter words are part of too many others to be found inside them. */
const MIN_PART = 3;

type Search = {
  readonly organizationId: string;
  readonly page: Page;
  readonly filter: TestFilter;
};

/**
 * Finds the tests in which each word starts a word of name, text or steps. If there is none, finds the tests with
 * similar words in their names. Returns one page, best match first, with up to `limit + 1` rows.
 */
export const searchTests = async (
  db: Kysely<AllTables>,
  search: Search,
  words: readonly string[],
): Promise<TestSummary[]> => {
  const phrase = words.join(" ");
  const prefixes = sql`to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(" & ")})`;
  const exact = { ...search, ...matchBy(prefixes, phrase) };
  const found = await rankedPage(db, exact);
  if (found.length > 0) return found;
  if (search.page.cursor !== undefined) {
    // An empty page after a cursor is the end of the exact matches, if there are any.
    const any = await rankedPage(db, { ...exact, page: { limit: 0 } });
    if (any.length > 0) return [];
  }
  const similar = await similarWords(db, search.organizationId, words);
  if (similar.length === 0) return [];
  const each = similar.map((some) => `(${some.map((word) => `'${word}':A`).join(" | ")})`);
  const alternatives = sql`to_tsquery('simple', ${each.join(" & ")})`;
  return rankedPage(db, { ...search, ...matchBy(alternatives, phrase) });
};

type Match = { readonly matches: RawBuilder<boolean>; readonly rank: RawBuilder<number> };

/** Ranks by the position of the words in the test and by the similarity of its name to the phrase. */
const matchBy = (query: RawBuilder<unknown>, phrase: string): Match => ({
  matches: sql<boolean>`tests.search @@ ${query}`,
  rank: sql<number>`(ts_rank(tests.search, ${query}) + word_similarity(${phrase}, tests.name_words))`,
});

/**
 * Scans the newest tests first: a word that many tests contain is found there. Otherwise queries the word index for
 * all matches, without a limit: with one, PostgreSQL plans a scan of all tests instead.
 */
const newestMatches = (
  db: Kysely<AllTables>,
  { organizationId, filter, matches }: Search & Match,
) => {
  const isScanEnough = sql<boolean>`(select count(*) from scanned) = ${sql.lit(MAX_RANKED)}`;
  return db
    .with(
      (cte) => cte("scanned").materialized(),
      () =>
        db
          .selectFrom(
            matchingTests(db, organizationId, filter)
              .select(["tests.id", sql`tests.search`.as("search")])
              .orderBy("tests.id", "desc")
              .limit(MAX_SCANNED)
              .as("tests"),
          )
          .where(matches)
          .select("tests.id")
          .limit(MAX_RANKED),
    )
    .with(
      (cte) => cte("indexed").materialized(),
      () =>
        matchingTests(db, organizationId, filter)
          .where(matches)
          .where(sql<boolean>`not ${isScanEnough}`)
          .select("tests.id"),
    )
    .with(
      (cte) => cte("newest").materialized(),
      (query) =>
        query
          .selectFrom("scanned")
          .select("id")
          .where(isScanEnough)
          .unionAll(query.selectFrom("indexed").select("id"))
          .orderBy("id", "desc")
          .limit(MAX_RANKED),
    );
};

const rankedPage = (db: Kysely<AllTables>, search: Search & Match): Promise<TestSummary[]> => {
  const { organizationId, page, rank } = search;
  const cursorRank = db
    .selectFrom("tests")
    .select([rank.as("rank"), "tests.id"])
    .where("tests.id", "=", page.cursor ?? "")
    .where("tests.organization_id", "=", organizationId);
  return newestMatches(db, search)
    .with(
      (cte) => cte("ranked").materialized(),
      (query) =>
        query
          .selectFrom("newest")
          .innerJoin("tests", "tests.id", "newest.id")
          .select([...summaryColumns, rank.as("rank")]),
    )
    .selectFrom("ranked as tests")
    .select([...summaryColumns, tagsOfTest.as("tags")])
    .$if(page.cursor !== undefined, (q) =>
      q.where(sql<boolean>`(tests.rank, tests.id) < (${cursorRank})`),
    )
    .orderBy("tests.rank", "desc")
    .orderBy("tests.id", "desc")
    .limit(page.limit + 1)
    .execute();
};

/** For each word, the similar words in names of tests. Leaves out words without any. */
const similarWords = (
  db: Kysely<AllTables>,
  organizationId: string,
  words: readonly string[],
): Promise<readonly (readonly string[])[]> =>
  db.transaction().execute(async (trx) => {
    // Below PostgreSQL's default, so that two swapped letters still count as similar.
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
        .limit(MAX_SIMILAR)
        .execute();
      if (rows.length > 0) found.push(rows.map((row) => row.word));
    }
    return found;
  });
