import type { Kysely } from "kysely";
import type { ProjectEvent } from "../../domain/catalogue/projects/events.ts";
import { projectDecider } from "../../domain/catalogue/projects/project.ts";
import { type TestSetEvent, testSetDecider } from "../../domain/catalogue/testSet.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

export type TestSetTables = {
  test_sets: {
    id: string;
    organization_id: string;
    project_id: string | null;
    name: string;
    /** In the order of execution. */
    test_ids: unknown;
    created_at: string;
    updated_at: string;
    version: number;
  };
  /** Existing projects: a set can be moved to a project that is deleted concurrently. */
  test_set_projects: { id: string };
};

export const testSetsProjection = defineProjection<TestSetTables, TestSetEvent | ProjectEvent>({
  name: "test-sets",
  version: 1,
  tables: ["test_sets", "test_set_projects"],
  create: async (db) => {
    await db.schema
      .createTable("test_sets")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid")
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("test_ids", "jsonb", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("test_set_projects")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .execute();
    await db.schema
      .createIndex("test_sets_by_organization")
      .on("test_sets")
      .columns(["organization_id", "id"])
      .execute();
    await db.schema
      .createIndex("test_sets_by_project")
      .on("test_sets")
      .columns(["project_id", "id"])
      .execute();
  },
  codecs: [testSetDecider.codec, projectDecider.codec],
  on: {
    ProjectCreated: async (db, { data }) => {
      await db.insertInto("test_set_projects").values({ id: data.projectId }).execute();
    },
    ProjectDeleted: async (db, { data }) => {
      await db.deleteFrom("test_set_projects").where("id", "=", data.projectId).execute();
      await db
        .updateTable("test_sets")
        .set({ project_id: null })
        .where("project_id", "=", data.projectId)
        .execute();
    },
    TestSetCreated: async (db, { data, ...event }) => {
      const project = await db
        .selectFrom("test_set_projects")
        .select("id")
        .where("id", "=", data.projectId)
        .executeTakeFirst();
      await db
        .insertInto("test_sets")
        .values({
          id: data.testSetId,
          organization_id: data.organizationId,
          project_id: project?.id ?? null,
          name: data.name,
          test_ids: JSON.stringify(data.testIds),
          created_at: event.metadata.occurred_at,
          ...changedBy(event),
        })
        .execute();
    },
    TestSetRenamed: async (db, { data, ...event }) => {
      await setTestSet(db, event, data.testSetId, { name: data.name });
    },
    TestSetItemsAdded: async (db, { data, ...event }) => {
      await reorder(db, event, data.testSetId, (ids) => [...ids, ...data.testIds]);
    },
    TestSetItemRemoved: async (db, { data, ...event }) => {
      await reorder(db, event, data.testSetId, (ids) => ids.filter((id) => id !== data.testId));
    },
    TestSetItemsReordered: async (db, { data, ...event }) => {
      await reorder(db, event, data.testSetId, () => data.testIds);
    },
    TestSetDeleted: async (db, { data }) => {
      await db.deleteFrom("test_sets").where("id", "=", data.testSetId).execute();
    },
  },
});

type Event = Pick<Recorded<TestSetEvent>, "metadata" | "revision">;

const changedBy = ({ metadata, revision }: Event) => ({
  updated_at: metadata.occurred_at,
  version: Number(revision) + 1,
});

const setTestSet = async (
  db: Kysely<TestSetTables>,
  event: Event,
  testSetId: string,
  values: Partial<TestSetTables["test_sets"]>,
): Promise<void> => {
  await db
    .updateTable("test_sets")
    .set({ ...values, ...changedBy(event) })
    .where("id", "=", testSetId)
    .execute();
};

const reorder = async (
  db: Kysely<TestSetTables>,
  event: Event,
  testSetId: string,
  change: (testIds: readonly string[]) => readonly string[],
): Promise<void> => {
  const row = await db
    .selectFrom("test_sets")
    .select("test_ids")
    .where("id", "=", testSetId)
    .executeTakeFirstOrThrow();
  const testIds = change(row.test_ids as readonly string[]);
  await setTestSet(db, event, testSetId, { test_ids: JSON.stringify(testIds) });
};
