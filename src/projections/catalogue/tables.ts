import { type Kysely, sql } from "kysely";

export type ContentColumns = { text: string; steps: unknown; step_count: number; data: unknown };

export type CatalogueTables = {
  projects: {
    id: string;
    organization_id: string;
    name: string;
    created_at: string;
    updated_at: string;
    version: number;
  };
  /** Keeps deleted folders, so that their organisation stays known. */
  folders: {
    id: string;
    organization_id: string;
    project_id: string;
    parent_id: string | null;
    name: string;
    created_at: string;
    updated_at: string;
    version: number;
    deleted: boolean;
  };
  /** Keeps deleted tests, which can be restored. */
  tests: ContentColumns & {
    id: string;
    organization_id: string;
    project_id: string | null;
    folder_id: string | null;
    name: string;
    language: string;
    platform: string;
    created_at: string;
    updated_at: string;
    version: number;
    deleted_at: string | null;
    /** The path of the test's file in its repository. */
    source: string | null;
    /** Whether the content is that of the last push of the file. */
    pushed: boolean;
    name_words: string;
    words: string;
  };
  /** A row for each version that changed the content, and for each file content of a run, by its id. A version has the content of the last row up to it. Rows outlive the test, because runs refer to them. */
  test_versions: ContentColumns & {
    test_id: string;
    version: number;
    organization_id: string;
    name: string;
    language: string;
    platform: string;
    created_at: string;
  };
  /** A row for each version. */
  test_history: {
    test_id: string;
    version: number;
    organization_id: string;
    event: string;
    at: string;
    actor: unknown;
    name: string;
    project_id: string | null;
    folder_id: string | null;
    /** The version that was restored; null for other events. */
    reverted_to: number | null;
  };
  /** Words of current and former names of an organisation's tests, for the search of similar words. */
  test_words: { organization_id: string; word: string };
};

/**
 * Index option that the query builder does not support. Without it, new entries go to a pending list that every search
 * scans until the next vacuum, which dominates a search after a large import.
 */
const NO_PENDING_LIST = sql.raw(") with (fastupdate = off");

export const createCatalogueTables = async (db: Kysely<unknown>): Promise<void> => {
  await createProjects(db);
  await createFolders(db);
  await createTests(db);
  await createVersions(db);
  await createHistory(db);
  await createWords(db);
};

const createProjects = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("projects")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("projects_by_organization")
    .on("projects")
    .columns(["organization_id", "id"])
    .execute();
};

const createFolders = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("folders")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project_id", "uuid", (c) => c.notNull())
    .addColumn("parent_id", "uuid")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("deleted", "boolean", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("folders_by_project")
    .on("folders")
    .columns(["project_id", "id"])
    .execute();
  await db.schema
    .createIndex("folders_by_organization")
    .on("folders")
    .column("organization_id")
    .execute();
};

const createTests = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("tests")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project_id", "uuid")
    .addColumn("folder_id", "uuid")
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("language", "text", (c) => c.notNull())
    .addColumn("platform", "text", (c) => c.notNull())
    .addColumn("steps", "jsonb", (c) => c.notNull())
    .addColumn("step_count", "integer", (c) => c.notNull())
    .addColumn("data", "jsonb", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("deleted_at", "timestamptz")
    .addColumn("source", "text")
    .addColumn("pushed", "boolean", (c) => c.notNull())
    .addColumn("name_words", "text", (c) => c.notNull())
    .addColumn("words", "text", (c) => c.notNull())
    .addColumn("search", sql`tsvector`, (c) =>
      c
        .generatedAlwaysAs(
          sql`setweight(to_tsvector('simple'::regconfig, name_words), 'A') || setweight(to_tsvector('simple'::regconfig, words), 'C')`,
        )
        .stored(),
    )
    .execute();
  for (const column of ["organization", "project", "folder"]) {
    await db.schema
      .createIndex(`tests_by_${column}`)
      .on("tests")
      .columns([`${column}_id`, "id"])
      .execute();
  }
  // The organisation comes first, so that common words only find its own tests.
  await db.schema
    .createIndex("tests_by_words")
    .on("tests")
    .using("gin")
    .expression(sql`organization_id, search${NO_PENDING_LIST}`)
    .execute();
  // A hash index: names can exceed the maximum size of a B-tree entry.
  await db.schema
    .createIndex("tests_by_name")
    .on("tests")
    .using("hash")
    .column("name_words")
    .execute();
  await db.schema
    .createIndex("tests_by_source")
    .on("tests")
    .expression(sql`organization_id, lower(source)`)
    .execute();
};

const createVersions = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("test_versions")
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("language", "text", (c) => c.notNull())
    .addColumn("platform", "text", (c) => c.notNull())
    .addColumn("steps", "jsonb", (c) => c.notNull())
    .addColumn("step_count", "integer", (c) => c.notNull())
    .addColumn("data", "jsonb", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("test_versions_pkey", ["test_id", "version"])
    .execute();
};

const createHistory = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("test_history")
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("event", "text", (c) => c.notNull())
    .addColumn("at", "timestamptz", (c) => c.notNull())
    .addColumn("actor", "jsonb", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("project_id", "uuid")
    .addColumn("folder_id", "uuid")
    .addColumn("reverted_to", "integer")
    .addPrimaryKeyConstraint("test_history_pkey", ["test_id", "version"])
    .execute();
};

const createWords = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("test_words")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("word", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("test_words_pkey", ["organization_id", "word"])
    .execute();
  await db.schema
    .createIndex("test_words_like")
    .on("test_words")
    .using("gin")
    .expression(sql`organization_id, word gin_trgm_ops${NO_PENDING_LIST}`)
    .execute();
};
