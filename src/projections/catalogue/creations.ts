import { type Kysely, sql } from "kysely";
import { searchTextOf, searchWords } from "../../domain/catalogue/searchWords.ts";
import { noData } from "../../domain/catalogue/testData.ts";
import type { TestEvent } from "../../domain/catalogue/tests/events.ts";
import type { Recorded, Target } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";
import type { CatalogueTables } from "./tables.ts";

type Created = Recorded<Extract<TestEvent, { type: "TestCreated" }>>;

/** Columns that every event on a test or project updates. */
export const changedBy = ({ metadata, revision }: Pick<Created, "metadata" | "revision">) => ({
  updated_at: metadata.occurred_at,
  version: Number(revision) + 1,
});

type Place = { readonly projectId: string | null; readonly folderId: string | null };

/** The written columns of a test. PostgreSQL generates the search column. */
const COLUMNS = [
  "id",
  "organization_id",
  "project_id",
  "folder_id",
  "name",
  "text",
  "language",
  "platform",
  "steps",
  "step_count",
  "data",
  "created_at",
  "updated_at",
  "version",
  "deleted_at",
  "source",
  "pushed",
  "name_words",
  "words",
] as const;

/** Inserts consecutive creations together, because an import creates thousands of tests. */
export const createTests = async (into: Target, events: readonly Created[]): Promise<void> => {
  const db = into.db as Kysely<CatalogueTables>;
  const standing = await standingIn(
    db,
    events.map(({ data }) => data),
  );
  const tests = [];
  const versions = [];
  const history = [];
  for (const event of events) {
    const { data, metadata } = event;
    const changed = changedBy(event);
    const { version } = changed;
    const place = standing(data);
    const { testId, organizationId: organization_id, name } = data;
    const content = {
      organization_id,
      name,
      language: data.language,
      platform: data.platform,
      text: data.text,
      steps: data.steps,
      step_count: data.steps.length,
      data: data.data ?? noData,
      created_at: metadata.occurred_at,
    };
    tests.push({
      ...{ id: testId, ...place, ...content, ...changed },
      source: data.source ?? null,
      pushed: data.source !== undefined,
      name_words: searchWords(name).join(" "),
      words: searchTextOf(data),
    });
    versions.push({ test_id: testId, version, ...content });
    const { occurred_at: at, actor } = metadata;
    const event_ = event.type;
    history.push({
      test_id: testId,
      version,
      organization_id,
      event: event_,
      at,
      actor,
      name,
      ...place,
    });
  }
  await insertRows(into, "tests", tests, "refuse", COLUMNS);
  await keepWords(
    into,
    events.map(({ data }) => data),
  );
  await insertRows(into, "test_versions", versions, "refuse");
  await insertRows(into, "test_history", history, "refuse");
};

/** Longer words are truncated, in characters. */
const MAX_WORD = 60;

const wordsToKeep = (name: string): readonly string[] => [
  ...new Set(searchWords(name).filter(({ length }) => length <= MAX_WORD)),
];

/** Stores the words of names for the search of similar words. */
const keepWords = (into: Target, named: readonly Created["data"][]): Promise<void> => {
  const rows = new Map<string, { readonly organization_id: string; readonly word: string }>();
  for (const { organizationId, name } of named) {
    for (const word of wordsToKeep(name)) {
      rows.set(`${organizationId} ${word}`, { organization_id: organizationId, word });
    }
  }
  return insertRows(into, "test_words", [...rows.values()], "ignore");
};

export const keepWordsOf = async (
  db: Kysely<CatalogueTables>,
  testId: string,
  name: string,
): Promise<void> => {
  await db
    .insertInto("test_words")
    .columns(["organization_id", "word"])
    .expression((eb) =>
      eb
        .selectFrom("tests")
        .select(["organization_id", sql<string>`unnest(${wordsToKeep(name)}::text[])`.as("word")])
        .where("id", "=", testId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** Clears projects and folders that were deleted before the test was created. */
export const standingIn = async (
  db: Kysely<CatalogueTables>,
  places: readonly Place[],
): Promise<(place: Place) => Pick<CatalogueTables["tests"], "project_id" | "folder_id">> => {
  const projectIds = distinct(places.map(({ projectId }) => projectId));
  const folderIds = distinct(places.map(({ folderId }) => folderId));
  const found =
    projectIds.length === 0
      ? []
      : await db.selectFrom("projects").select("id").where("id", "in", projectIds).execute();
  const foundFolders =
    folderIds.length === 0
      ? []
      : await db
          .selectFrom("folders")
          .select("id")
          .where("id", "in", folderIds)
          .where("deleted", "=", false)
          .execute();
  const projects = new Set(found.map(({ id }) => id));
  const folders = new Set(foundFolders.map(({ id }) => id));
  return ({ projectId, folderId }) => {
    if (projectId === null || !projects.has(projectId))
      return { project_id: null, folder_id: null };
    const folder_id = folderId !== null && folders.has(folderId) ? folderId : null;
    return { project_id: projectId, folder_id };
  };
};

const distinct = (ids: readonly (string | null)[]): readonly string[] =>
  [...new Set(ids)].filter((id) => id !== null);
