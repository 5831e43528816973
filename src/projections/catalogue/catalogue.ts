import type { Kysely } from "kysely";
import type { ProjectEvent } from "../../domain/catalogue/projects/events.ts";
import { projectDecider } from "../../domain/catalogue/projects/project.ts";
import { searchTextOf, searchWords } from "../../domain/catalogue/searchWords.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import type { StepEvent, TestEvent } from "../../domain/catalogue/tests/events.ts";
import { stepsAfter } from "../../domain/catalogue/tests/state.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import { type RunContentEvent, runContentDecider } from "../../domain/runs/content.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";
import { changedBy, createTests, keepWordsOf, standingIn } from "./creations.ts";
import { keepRunContent } from "./runContents.ts";
import { type CatalogueTables, createCatalogueTables } from "./tables.ts";

export const catalogueProjection = defineProjection<
  CatalogueTables,
  ProjectEvent | TestEvent | RunContentEvent
>({
  name: "catalogue",
  version: 5,
  tables: ["projects", "folders", "tests", "test_versions", "test_history", "test_words"],
  create: createCatalogueTables,
  codecs: [projectDecider.codec, testDecider.codec, runContentDecider.codec],
  // Deletions of projects and folders also change their tests.
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
      await setProject(db, event, data.projectId, { name: data.name });
    },
    ProjectDeleted: async (db, { data }) => {
      await db.deleteFrom("projects").where("id", "=", data.projectId).execute();
      await db
        .updateTable("folders")
        .set({ deleted: true })
        .where("project_id", "=", data.projectId)
        .execute();
      await db
        .updateTable("tests")
        .set({ project_id: null, folder_id: null })
        .where("project_id", "=", data.projectId)
        .execute();
    },
    FolderCreated: async (db, { data, ...event }) => {
      const { occurred_at } = event.metadata;
      await setProject(db, event, data.projectId, {});
      await db
        .insertInto("folders")
        .columns([
          "id",
          "organization_id",
          "project_id",
          "parent_id",
          "name",
          "created_at",
          "updated_at",
          "version",
          "deleted",
        ])
        .expression((eb) =>
          eb
            .selectFrom("projects")
            .select((of) => [
              of.cast<string>(of.val(data.folderId), "uuid").as("id"),
              "organization_id",
              "id as project_id",
              of.cast<string | null>(of.val(data.parentId), "uuid").as("parent_id"),
              of.cast<string>(of.val(data.name), "text").as("name"),
              of.cast<string>(of.val(occurred_at), "timestamptz").as("created_at"),
              of.cast<string>(of.val(occurred_at), "timestamptz").as("updated_at"),
              of.lit(1).as("version"),
              of.lit(false).as("deleted"),
            ])
            .where("id", "=", data.projectId),
        )
        .execute();
    },
    FolderRenamed: async (db, { data, ...event }) => {
      await setProject(db, event, data.projectId, {});
      await setFolder(db, event, data.folderId, { name: data.name });
    },
    FolderMoved: async (db, { data, ...event }) => {
      await setProject(db, event, data.projectId, {});
      await setFolder(db, event, data.folderId, { parent_id: data.parentId });
    },
    FolderDeleted: async (db, { data, ...event }) => {
      await setProject(db, event, data.projectId, {});
      await setFolder(db, event, data.folderId, { deleted: true });
      await db
        .updateTable("tests")
        .set({ folder_id: null })
        .where("folder_id", "=", data.folderId)
        .execute();
    },
    // These events only increase the project's version. Other projections store their data.
    EnvironmentDefined: (db, event) => setProject(db, event, event.data.projectId, {}),
    EnvironmentRemoved: (db, event) => setProject(db, event, event.data.projectId, {}),
    SecretSet: (db, event) => setProject(db, event, event.data.projectId, {}),
    SecretRemoved: (db, event) => setProject(db, event, event.data.projectId, {}),
    FileAdded: (db, event) => setProject(db, event, event.data.projectId, {}),
    FileRemoved: (db, event) => setProject(db, event, event.data.projectId, {}),
    TestRenamed: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, named(data.name));
      await keepWordsOf(db, data.testId, data.name);
    },
    TestMoved: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, (await standingIn(db, [data]))(data));
    },
    TestStepsReplaced: async (db, { data, ...event }) => {
      const pushed = data.pushed === true;
      await setContent(db, event, data.testId, data, { pushed });
    },
    TestSourceSet: async (db, { data, ...event }) => {
      const { source } = data;
      await setTest(db, event, data.testId, { source, pushed: source !== null });
    },
    RunContentPinned: (db, { data, ...event }) => keepRunContent(db, event, data),
    TestRevertedTo: async (db, { data, ...event }) => {
      const values = {
        ...named(data.name),
        pushed: false,
        ...(data.data === undefined ? {} : { data: JSON.stringify(data.data) }),
      };
      await setContent(db, event, data.testId, data, values, data.version);
      await keepWordsOf(db, data.testId, data.name);
    },
    TestStepAdded: (db, event) => changeSteps(db, event),
    TestStepChanged: (db, event) => changeSteps(db, event),
    HealingAccepted: (db, event) => changeSteps(db, event),
    HealingRejected: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, {});
    },
    TestStepRemoved: (db, event) => changeSteps(db, event),
    TestStepsReordered: (db, event) => changeSteps(db, event),
    TestDataReplaced: async (db, { data, ...event }) => {
      const rows = { data: JSON.stringify(data.data) };
      await setTest(db, event, data.testId, data.pushed ? rows : { ...rows, pushed: false });
      await keepVersion(db, event, data.testId);
    },
    TestDeleted: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, {
        deleted_at: event.metadata.occurred_at,
        source: null,
        pushed: false,
      });
    },
    TestUndeleted: async (db, { data, ...event }) => {
      await setTest(db, event, data.testId, { deleted_at: null });
    },
  },
  together: { TestCreated: createTests },
});

type Event = Pick<
  Recorded<ProjectEvent | TestEvent | RunContentEvent>,
  "type" | "metadata" | "revision"
>;

type ContentOf = { readonly text: string; readonly steps: readonly Step[] };

const contentOf = (data: ContentOf) => ({
  text: data.text,
  steps: JSON.stringify(data.steps),
  step_count: data.steps.length,
});

const named = (name: string) => ({ name, name_words: searchWords(name).join(" ") });

const setProject = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  projectId: string,
  values: Partial<CatalogueTables["projects"]>,
): Promise<void> => {
  await db
    .updateTable("projects")
    .set({ ...values, ...changedBy(event) })
    .where("id", "=", projectId)
    .execute();
};

const setFolder = async (
  db: Kysely<CatalogueTables>,
  { metadata }: Event,
  folderId: string,
  values: Partial<CatalogueTables["folders"]>,
): Promise<void> => {
  await db
    .updateTable("folders")
    .set((eb) => ({
      ...values,
      updated_at: metadata.occurred_at,
      version: eb("version", "+", 1),
    }))
    .where("id", "=", folderId)
    .execute();
};

const setTest = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  testId: string,
  values: Partial<CatalogueTables["tests"]>,
  revertedTo: number | null = null,
): Promise<void> => {
  await db
    .updateTable("tests")
    .set({ ...values, ...changedBy(event) })
    .where("id", "=", testId)
    .execute();
  await chronicle(db, event, testId, revertedTo);
};

const setContent = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  testId: string,
  content: ContentOf,
  values: Partial<CatalogueTables["tests"]> = {},
  revertedTo: number | null = null,
): Promise<void> => {
  const all = { ...values, ...contentOf(content), words: searchTextOf(content) };
  await setTest(db, event, testId, all, revertedTo);
  await keepVersion(db, event, testId);
};

/** Stores the current content as the content of this version. */
const keepVersion = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  testId: string,
): Promise<void> => {
  const { version, updated_at } = changedBy(event);
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
      "data",
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
          "data",
          of.cast<string>(of.val(updated_at), "timestamptz").as("created_at"),
        ])
        .where("id", "=", testId),
    )
    .execute();
};

/** Clears the source text, which no longer matches the steps. */
const changeSteps = async (
  db: Kysely<CatalogueTables>,
  event: Event & StepEvent,
): Promise<void> => {
  const { testId } = event.data;
  const row = await db
    .selectFrom("tests")
    .select("steps")
    .where("id", "=", testId)
    .executeTakeFirstOrThrow();
  const steps = stepsAfter(row.steps as readonly Step[], event);
  await setContent(db, event, testId, { text: "", steps }, { pushed: false });
};

/** Adds a row to the history: actor, time, event, and the resulting name and place. */
const chronicle = async (
  db: Kysely<CatalogueTables>,
  event: Event,
  testId: string,
  revertedTo: number | null = null,
): Promise<void> => {
  const { occurred_at, actor } = event.metadata;
  await db
    .insertInto("test_history")
    .columns([
      "test_id",
      "version",
      "organization_id",
      "event",
      "at",
      "actor",
      "name",
      "project_id",
      "folder_id",
      "reverted_to",
    ])
    .expression((eb) =>
      eb
        .selectFrom("tests")
        .select((of) => [
          "id",
          "version",
          "organization_id",
          of.cast<string>(of.val(event.type), "text").as("event"),
          of.cast<string>(of.val(occurred_at), "timestamptz").as("at"),
          of.cast<unknown>(of.val(JSON.stringify(actor)), "jsonb").as("actor"),
          "name",
          "project_id",
          "folder_id",
          of.cast<number | null>(of.val(revertedTo), "integer").as("reverted_to"),
        ])
        .where("id", "=", testId),
    )
    .execute();
};
