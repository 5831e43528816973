import { type Kysely, sql } from "kysely";

/** What is of a test at a version of its content. */
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
  /** Folders that are deleted stay, so that their ids go on telling whose they were. */
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
  /** Tests that are deleted stay: a deletion can be taken back. */
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
    name_words: string;
    words: string;
  };
  /** A row for each version that brought other steps; a run's pinned version has those of the row at or before it. Deleting a test leaves them: runs speak of them. */
  test_versions: ContentColumns & {
    test_id: string;
    version: number;
    organization_id: string;
    name: string;
    language: string;
    platform: string;
    created_at: string;
  };
  /** A row for each version: who made it, when, and what it was called and where it was from then on. */
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
    /** The version that it is a return to; null but of those. */
    reverted_to: number | null;
  };
  /** The words that names of an organisation's tests have, or had: what a word with a letter wrong may have meant. */
  test_words: { organization_id: string; word: string };
};

/**
 * Behind the columns of an index of words, for which the builder has no word: what is new is not kept in a list that
 * every search reads through until the table is vacuumed. After an import of thousands that was most of a search.
 */
const PUT_IN_AT_ONCE = sql.raw(") with (fastupdate = off");

/** Makes the tables and indexes of the catalogue. */
export const createCatalogueTables = async (db: Kysely<unknown>): Promise<void> => {
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
  await createTestTables(db);
  for (const table of ["projects", "tests"]) {
    await db.schema
      .createIndex(`${table}_by_organization`)
      .on(table)
      .columns(["organization_id", "id"])
      .execute();
  }
  for (const table of ["tests", "folders"]) {
    await db.schema
      .createIndex(`${table}_by_project`)
      .on(table)
      .columns(["project_id", "id"])
      .execute();
  }
  await db.schema
    .createIndex("folders_by_organization")
    .on("folders")
    .column("organization_id")
    .execute();
  await db.schema.createIndex("tests_by_folder").on("tests").columns(["folder_id", "id"]).execute();
  // Words that every organisation has lead to its own tests alone.
  await db.schema
    .createIndex("tests_by_words")
    .on("tests")
    .using("gin")
    .expression(sql`organization_id, search${PUT_IN_AT_ONCE}`)
    .execute();
  // Looked up whole. Names may be longer than a tree takes.
  await db.schema
    .createIndex("tests_by_name")
    .on("tests")
    .using("hash")
    .column("name_words")
    .execute();
  await db.schema
    .createIndex("test_words_like")
    .on("test_words")
    .using("gin")
    .expression(sql`organization_id, word gin_trgm_ops${PUT_IN_AT_ONCE}`)
    .execute();
};

const createTestTables = async (db: Kysely<unknown>): Promise<void> => {
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
  await db.schema
    .createTable("test_words")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("word", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("test_words_pkey", ["organization_id", "word"])
    .execute();
};
