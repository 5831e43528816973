import type { Kysely } from "kysely";
import type { EnvironmentTables, SecretName } from "./environments.ts";
import type { AllTables, Page } from "./rows.ts";

type Row = Omit<EnvironmentTables["environments"], "removed" | "variables" | "secrets">;

/** An environment with the names of its secrets. */
export type EnvironmentRow = Row & {
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretName[];
};

export type FileRow = EnvironmentTables["project_files"];

const columns = [
  "id",
  "organization_id",
  "project_id",
  "name",
  "base_url",
  "variables",
  "secrets",
  "created_at",
  "updated_at",
  "version",
] as const;

const toRow = (row: Omit<EnvironmentTables["environments"], "removed">): EnvironmentRow => ({
  ...row,
  variables: row.variables as Record<string, string>,
  secrets: row.secrets as SecretName[],
});

/** Returns null if there is no such environment, or if it is removed and `removedToo` is not set. */
const findEnvironment = async (
  db: Kysely<AllTables>,
  id: string,
  options: { readonly removedToo?: boolean } = {},
): Promise<EnvironmentRow | null> => {
  const row = await db
    .selectFrom("environments")
    .select(columns)
    .where("id", "=", id)
    .$if(options.removedToo !== true, (q) => q.where("removed", "=", false))
    .executeTakeFirst();
  return row ? toRow(row) : null;
};

/** Newest first. Returns up to `limit + 1` rows: the additional row means that there is a next page. */
const listEnvironments = async (
  db: Kysely<AllTables>,
  projectId: string,
  page: Page,
): Promise<EnvironmentRow[]> => {
  const rows = await db
    .selectFrom("environments")
    .select(columns)
    .where("project_id", "=", projectId)
    .where("removed", "=", false)
    .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();
  return rows.map(toRow);
};

/** Finds environments of these projects by name, ignoring case. */
const environmentsCalled = async (
  db: Kysely<AllTables>,
  projectIds: readonly string[],
  name: string,
): Promise<EnvironmentRow[]> => {
  if (projectIds.length === 0) return [];
  const rows = await db
    .selectFrom("environments")
    .select(columns)
    .where("project_id", "in", projectIds)
    .where((eb) => eb(eb.fn<string>("lower", ["name"]), "=", name.toLowerCase()))
    .where("removed", "=", false)
    .execute();
  return rows.map(toRow);
};

const findFile = async (
  db: Kysely<AllTables>,
  projectId: string,
  name: string,
): Promise<FileRow | null> => {
  const row = await db
    .selectFrom("project_files")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("name", "=", name)
    .executeTakeFirst();
  return row ?? null;
};

/** Newest first. Returns up to `limit + 1` rows. */
const listFiles = (db: Kysely<AllTables>, projectId: string, page: Page): Promise<FileRow[]> =>
  db
    .selectFrom("project_files")
    .selectAll()
    .where("project_id", "=", projectId)
    .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();

/** These queries do not check permissions: rows contain `organization_id` for the caller's check. */
export const environmentQueries = (db: Kysely<AllTables>) => ({
  findEnvironment: findEnvironment.bind(null, db),
  listEnvironments: listEnvironments.bind(null, db),
  environmentsCalled: environmentsCalled.bind(null, db),
  findFile: findFile.bind(null, db),
  listFiles: listFiles.bind(null, db),
});
