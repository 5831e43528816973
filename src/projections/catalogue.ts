import type { Kysely } from "kysely";
import { type ProjectEvent, projectDecider } from "../domain/catalogue/project.ts";
import type { Step } from "../domain/catalogue/step.ts";
import { type TestEvent, testDecider } from "../domain/catalogue/test.ts";
import { defineProjection, type Recorded } from "./kernel/projection.ts";

/** What is of a test at a version of its content. */
type Content = { text: string; steps: unknown; step_count: number };

export type CatalogueTables = {
  projects: {
    id: string;
    organization_id: string;
    name: string;
    created_at: string;
    updated_at: string;
    version: number;
  };
  tests: Content & {
    id: string;
    organization_id: string;
    project_id: string | null;
    name: string;
    language: string;
    platform: string;
    created_at: string;
    updated_at: string;
    version: number;
  };
  /** A row for each version that brought other steps; a run's pinned version has those of the row at or before it. Deleting a test leaves them: runs speak of them. */
  test_versions: Content & {
    test_id: string;
    version: number;
    organization_id: string;
    name: string;
    language: string;
    platform: string;
    created_at: string;
  };
};

export const catalogueProjection = defineProjection<CatalogueTables, ProjectEvent | TestEvent>({
  name: "catalogue",
  version: 1,
  tables: ["projects", "tests", "test_versions"],
  create: async (db) => {
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
      .createTable("tests")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid")
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("text", "text", (c) => c.notNull())
      .addColumn("language", "text", (c) => c.notNull())
      .addColumn("platform", "text", (c) => c.notNull())
      .addColumn("steps", "jsonb", (c) => c.notNull())
      .addColumn("step_count", "integer", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
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
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addPrimaryKeyConstraint("test_versions_pkey", ["test_id", "version"])
      .execute();
    for (const table of ["projects", "tests"]) {
      await db.schema
        .createIndex(`${table}_by_organization`)
        .on(table)
        .columns(["organization_id", "id"])
        .execute();
    }
    await db.schema
      .createIndex("tests_by_project")
      .on("tests")
      .columns(["project_id", "id"])
      .execute();
  },
  codecs: [projectDecider.codec, testDecider.codec],
  // A test is in a project that is there.
  ordersTheLog: true,
  on: {
    ProjectCreated: async (db, { data, ...event }) => {
      await db
        .insertInto("projects")
        .values({
          id: data.projectId,
          organization_id: data.organizationId,
          name: data.name,
          created_at: event.metadata.occurred_at,
          ...changedBy(event),
        })
        .execute();
    },
    ProjectRenamed: async (db, { data, ...event }) => {
      await db
        .updateTable("projects")
        .set({ name: data.name, ...changedBy(event) })
        .where("id", "=", data.projectId)
        .execute();
    },
    ProjectDeleted: async (db, { data }) => {
      await db.deleteFrom("projects").where("id", "=", data.projectId).execute();
      await db
        .updateTable("tests")
        .set({ project_id: null })
        .where("project_id", "=", data.projectId)
        .execute();
    },
    TestCreated: async (db, { data, ...event }) => {
      const common = {
        organization_id: data.organizationId,
        name: data.name,
        language: data.language,
        platform: data.platform,
        ...contentOf(data),
        created_at: event.metadata.occurred_at,
      };
      const changed = changedBy(event);
      await db
        .insertInto("tests")
        .values({
          id: data.testId,
          project_id: await standing(db, data.projectId),
          ...common,
          ...changed,
        })
        .execute();
      await db
        .insertInto("test_versions")
        .values({ test_id: data.testId, version: changed.version, ...common })
        .execute();
    },
    TestRenamed: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, { name: data.name });
    },
    TestMoved: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, { project_id: await standing(db, data.projectId) });
    },
    TestStepsReplaced: async (db, { data, ...event }) => {
      const content = contentOf(data);
      const { version, updated_at } = changedBy(event);
      await setTest(db, event, data.testId, content);
      await db
        .insertInto("test_versions")
        .columns([
          "test_id",
          "version",
          "organization_id",
          "name",
          "language",
          "platform",
          "text",
          "steps",
          "step_count",
          "created_at",
        ])
        .expression((eb) =>
          eb
            .selectFrom("tests")
            .select((of) => [
              "id",
              of.val(version).as("version"),
              "organization_id",
              "name",
              "language",
              "platform",
              "text",
              "steps",
              "step_count",
              of.cast<string>(of.val(updated_at), "timestamptz").as("created_at"),
            ])
            .where("id", "=", data.testId),
        )
        .execute();
    },
    TestDeleted: async (db, { data }) => {
      await db.deleteFrom("tests").where("id", "=", data.testId).execute();
    },
  },
});

type Event = Pick<Recorded<ProjectEvent | TestEvent>, "metadata" | "revision">;

const changedBy = ({ metadata, revision }: Event) => ({
  updated_at: metadata.occurred_at,
  version: Number(revision) + 1,
});

const contentOf = (data: { readonly text: string; readonly steps: readonly Step[] }): Content => ({
  text: data.text,
  steps: JSON.stringify(data.steps),
  step_count: data.steps.length,
});

/** The project, unless it was deleted while the test was put into it. */
const standing = async (
  db: Kysely<CatalogueTables>,
  projectId: string | null,
): Promise<string | null> => {
  if (projectId === null) return null;
  const row = await db
    .selectFrom("projects")
    .select("id")
    .where("id", "=", projectId)
    .executeTakeFirst();
  return row?.id ?? null;
};

const setTest = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  testId: string,
  values: Partial<CatalogueTables["tests"]>,
): Promise<void> => {
  await db
    .updateTable("tests")
    .set({ ...values, ...changedBy(event) })
    .where("id", "=", testId)
    .execute();
};
