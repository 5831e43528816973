import { z } from "zod";
import type { Written } from "../../../commands/catalogue/changes.ts";
import type { Content } from "../../../domain/catalogue/content.ts";
import type { Folder } from "../../../domain/catalogue/projects/folders.ts";
import type { ActiveProject } from "../../../domain/catalogue/projects/project.ts";
import type { Step } from "../../../domain/catalogue/step.ts";
import type { Tag } from "../../../domain/catalogue/tags.ts";
import type { ActiveTestSet } from "../../../domain/catalogue/testSet.ts";
import type { ActiveTest } from "../../../domain/catalogue/tests/state.ts";
import { parseEnglish } from "../../../domain/english/index.ts";
import type {
  FolderRow,
  ProjectRow,
  TestDetail,
  TestSummary,
} from "../../../projections/catalogue/rows.ts";
import type { TagRow } from "../../../projections/catalogue/tagQueries.ts";
import type { TestSetItem, TestSetRow } from "../../../projections/catalogue/testSetQueries.ts";
import { id, timestamp } from "../../schemas.ts";
import { parseWarning } from "./content.ts";

const resource = { id, created_at: timestamp, updated_at: timestamp, version: z.int().positive() };

export const project = z
  .object({ ...resource, name: z.string() })
  .meta({ id: "Project", description: "A container of tests, folders, environments and files." });

export const folder = z
  .object({
    ...resource,
    name: z.string(),
    project_id: id,
    parent_id: id.nullable(),
  })
  .meta({ id: "Folder", description: "A folder of a project." });

export const tag = z
  .object({ ...resource, name: z.string() })
  .meta({ id: "Tag", description: "A label of tests." });

export const testSetSummary = z
  .object({
    ...resource,
    name: z.string(),
    project_id: id.nullable(),
    test_ids: z.array(id).describe("In execution order."),
  })
  .meta({ id: "TestSetSummary", description: "A test set in a list." });

export const testSet = z
  .object({
    ...testSetSummary.shape,
    items: z.array(
      z
        .object({
          position: z.int().positive(),
          test_id: id,
          name: z.string().nullable().describe("Null if the test was deleted. Runs skip it."),
          step_count: z.int().nullable(),
        })
        .meta({ id: "TestSetItem", description: "A test of a test set." }),
    ),
  })
  .meta({ id: "TestSet", description: "A named, ordered collection of tests." });

export const step = z
  .object({
    id,
    position: z.int().positive(),
    action: z.string(),
    target: z.string(),
    value: z.string(),
    description: z.string(),
    optional: z.boolean(),
    disabled: z.boolean(),
  })
  .meta({ id: "Step", description: "A step of a test." });

export const testSummary = z
  .object({
    ...resource,
    name: z.string(),
    project_id: id.nullable(),
    folder_id: id.nullable(),
    tags: z.array(
      z
        .object({ id, name: z.string() })
        .meta({ id: "TagReference", description: "A tag of a test." }),
    ),
    language: z.string(),
    platform: z.string(),
    step_count: z.int(),
    source: z.string().nullable().describe("The path of the test's file in its repository."),
    pushed: z.boolean().describe("Whether the content is that of the last push of the file."),
  })
  .meta({ id: "TestSummary", description: "A test in a list, without its steps." });

export const test = z
  .object({
    ...testSummary.shape,
    text: z.string(),
    steps: z.array(step),
    warnings: z.array(parseWarning),
  })
  .meta({ id: "Test", description: "A test with its steps." });

/** Renders a project. */
export const projectBody = ({ organization_id: _, ...row }: ProjectRow) => row;

/** Renders a project after a write. `before` is its row in the read model. */
export const writtenProject = (
  { id: projectId, state, at }: Written<ActiveProject>,
  before: ProjectRow | null,
) => ({
  id: projectId,
  name: state.name,
  ...timesOf(at, before),
  version: state.version,
});

/** Renders a folder. */
export const folderBody = ({ organization_id: _, ...row }: FolderRow) => row;

/** Renders a folder after a write. */
export const writtenFolder = (
  { id: folderId, state, at }: Written<Folder>,
  projectId: string,
  before: FolderRow | null,
) => ({
  id: folderId,
  name: state.name,
  project_id: projectId,
  parent_id: state.parentId,
  ...timesOf(at, before),
  version: state.version,
});

/** Renders a tag. */
export const tagBody = ({ organization_id: _, ...row }: TagRow) => row;

/** Renders a tag after a write. */
export const writtenTag = ({ id: tagId, state, at }: Written<Tag>, before: TagRow | null) => ({
  id: tagId,
  name: state.name,
  ...timesOf(at, before),
  version: state.version,
});

/** Renders a test set for lists. */
export const testSetSummaryBody = ({ organization_id: _, ...row }: TestSetRow) => row;

/** Renders a test set with its tests. */
export const testSetBody = (row: TestSetRow, items: readonly TestSetItem[]) => ({
  ...testSetSummaryBody(row),
  items: numbered(items),
});

/** Renders a test set after a write. */
export const writtenTestSet = (
  { id: testSetId, state, at }: Written<ActiveTestSet>,
  before: TestSetRow | null,
  items: readonly TestSetItem[],
) => ({
  id: testSetId,
  name: state.name,
  project_id: state.projectId,
  test_ids: state.testIds,
  items: numbered(items),
  ...timesOf(at, before),
  version: state.version,
});

const numbered = (items: readonly TestSetItem[]) =>
  items.map((item, index) => ({ position: index + 1, ...item }));

export const stepBodies = (steps: readonly Step[]) =>
  steps.map((one, index) => ({ ...one, position: index + 1 }));

/** Renders a test for lists. */
export const summaryBody = (row: TestSummary): z.input<typeof testSummary> => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  version: row.version,
  name: row.name,
  project_id: row.project_id,
  folder_id: row.folder_id,
  tags: [...row.tags],
  language: row.language,
  platform: row.platform,
  step_count: row.step_count,
  source: row.source,
  pushed: row.pushed,
});

/** Renders a test with its steps, and the warnings of its text under the current grammar. */
export const testBody = ({ organization_id: _, ...row }: TestDetail) => ({
  ...row,
  steps: stepBodies(row.steps),
  warnings: row.text === "" ? [] : parseEnglish(row.text).warnings,
});

/** Renders a test after a write. `before` is its row in the read model, `content` the sent content. */
export const writtenTest = (
  { id: testId, state, at }: Written<ActiveTest>,
  before: TestDetail | null,
  content: Content | null,
) => {
  const { name, projectId, folderId, language, platform, text, steps, version } = state;
  const { source, isPushed: pushed } = state;
  const isAsSent = content !== null && content.text === text;
  const warnings = isAsSent ? content.warnings : text === "" ? [] : parseEnglish(text).warnings;
  return {
    id: testId,
    name,
    project_id: projectId,
    folder_id: folderId,
    tags: before?.tags ?? [],
    text,
    language,
    platform,
    steps: stepBodies(steps),
    step_count: steps.length,
    ...{ source, pushed },
    warnings,
    ...timesOf(at, before),
    version,
  };
};

type Times = { readonly created_at: string; readonly updated_at: string };

/** The times of a resource after a write. Without a row in the read model it was created now; without an event it did not change. */
export const timesOf = (at: string | null, before: Times | null): Times => {
  const now = at ?? before?.updated_at ?? new Date().toISOString();
  return { created_at: before?.created_at ?? now, updated_at: now };
};
