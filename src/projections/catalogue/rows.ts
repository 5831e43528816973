import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import type { EnvironmentTables } from "./environments.ts";
import type { CatalogueTables } from "./tables.ts";
import type { TagTables } from "./tags.ts";
import type { TestSetTables } from "./testSets.ts";

export type AllTables = CatalogueTables & TagTables & TestSetTables & EnvironmentTables;

export type ProjectRow = CatalogueTables["projects"];
export type FolderRow = Omit<CatalogueTables["folders"], "deleted">;

export type TagOfTest = { readonly id: string; readonly name: string };

/** A test without its content. */
export type TestSummary = Omit<
  CatalogueTables["tests"],
  "text" | "steps" | "data" | "deleted_at" | "name_words" | "words"
> & { readonly tags: readonly TagOfTest[] };

export type TestDetail = TestSummary & { readonly text: string; readonly steps: readonly Step[] };

/** The content of a test at a version. */
export type TestVersion = Omit<CatalogueTables["test_versions"], "steps" | "data"> & {
  readonly steps: readonly Step[];
  readonly data: TestData;
};

export type { Page } from "../kernel/newestFirst.ts";

export const summaryColumns = [
  "tests.id",
  "tests.organization_id",
  "tests.project_id",
  "tests.folder_id",
  "tests.name",
  "tests.language",
  "tests.platform",
  "tests.step_count",
  "tests.created_at",
  "tests.updated_at",
  "tests.version",
  "tests.source",
  "tests.pushed",
] as const;

/** The tags of a row of `tests`, ordered by name. */
export const tagsOfTest: RawBuilder<readonly TagOfTest[]> = sql`
  coalesce((select json_agg(json_build_object('id', tags.id, 'name', tags.name) order by tags.name, tags.id)
    from test_tags join tags on tags.id = test_tags.tag_id where test_tags.test_id = tests.id), '[]')`;
