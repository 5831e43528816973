import type { Kysely } from "kysely";
import { type ProjectEvent, projectDecider } from "../../domain/catalogue/project.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";
import type { AllTables } from "./rows.ts";

/** A secret as it is shown: that it is there, and since when. */
type SecretName = { readonly name: string; readonly set_at: string };

export type EnvironmentTables = {
  /** Environments that are removed stay, so that their ids go on telling whose they were. */
  environments: {
    id: string;
    organization_id: string;
    project_id: string;
    name: string;
    base_url: string | null;
    variables: unknown;
    secrets: unknown;
    created_at: string;
    updated_at: string;
    version: number;
    removed: boolean;
  };
  project_files: {
    id: string;
    organization_id: string;
    project_id: string;
    name: string;
    size: number;
    content_type: string;
    sha256: string;
    created_at: string;
  };
};

/** The environments of projects, and their files. */
export const environmentsProjection = defineProjection<EnvironmentTables, ProjectEvent>({
  name: "environments",
  version: 1,
  tables: ["environments", "project_files"],
  create: async (db) => {
    await db.schema
      .createTable("environments")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("base_url", "text")
      .addColumn("variables", "jsonb", (c) => c.notNull())
      .addColumn("secrets", "jsonb", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .addColumn("removed", "boolean", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("project_files")
      .addColumn("id", "uuid", (c) => c.notNull())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("project_id", "uuid", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("size", "integer", (c) => c.notNull())
      .addColumn("content_type", "text", (c) => c.notNull())
      .addColumn("sha256", "text", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addPrimaryKeyConstraint("project_files_pkey", ["project_id", "name"])
      .execute();
    await db.schema
      .createIndex("environments_by_project")
      .on("environments")
      .columns(["project_id", "id"])
      .execute();
  },
  codecs: [projectDecider.codec],
  on: {
    EnvironmentDefined: async (db, { data, metadata }) => {
      const at = metadata.occurred_at;
      const said = {
        name: data.name,
        base_url: data.baseUrl,
        variables: JSON.stringify(data.variables),
        updated_at: at,
      };
      await db
        .insertInto("environments")
        .values({
          id: data.environmentId,
          organization_id: metadata.organization_id ?? "",
          project_id: data.projectId,
          ...said,
          secrets: "[]",
          created_at: at,
          version: 1,
          removed: false,
        })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((eb) => ({
            ...said,
            version: eb("environments.version", "+", 1),
          })),
        )
        .execute();
    },
    EnvironmentRemoved: async (db, { data }) => {
      await db
        .updateTable("environments")
        .set({ removed: true, secrets: "[]" })
        .where("id", "=", data.environmentId)
        .execute();
    },
    SecretSet: async (db, event) => {
      const { secret: name } = event.data;
      const set = { name, set_at: event.metadata.occurred_at };
      await changeSecrets(db, event, (secrets) => [...secrets, set]);
    },
    SecretRemoved: async (db, event) => {
      await changeSecrets(db, event, (secrets) => secrets);
    },
    FileAdded: async (db, { data, metadata }) => {
      const said = {
        id: data.fileId,
        size: data.size,
        content_type: data.contentType,
        sha256: data.sha256,
        created_at: metadata.occurred_at,
      };
      await db
        .insertInto("project_files")
        .values({
          organization_id: metadata.organization_id ?? "",
          project_id: data.projectId,
          name: data.name,
          ...said,
        })
        .onConflict((conflict) => conflict.columns(["project_id", "name"]).doUpdateSet(said))
        .execute();
    },
    FileRemoved: async (db, { data }) => {
      await db
        .deleteFrom("project_files")
        .where("project_id", "=", data.projectId)
        .where("name", "=", data.name)
        .execute();
    },
    ProjectDeleted: async (db, { data }) => {
      await db
        .updateTable("environments")
        .set({ removed: true, secrets: "[]" })
        .where("project_id", "=", data.projectId)
        .execute();
      await db.deleteFrom("project_files").where("project_id", "=", data.projectId).execute();
    },
  },
});

/** Changes the secrets that are there besides the event's own, by name. */
const changeSecrets = async (
  db: Kysely<EnvironmentTables>,
  { data, metadata }: Recorded<Extract<ProjectEvent, { type: `Secret${string}` }>>,
  change: (others: readonly SecretName[]) => readonly SecretName[],
): Promise<void> => {
  const row = await db
    .selectFrom("environments")
    .select("secrets")
    .where("id", "=", data.environmentId)
    .executeTakeFirst();
  if (!row) return;
  const others = (row.secrets as readonly SecretName[]).filter(({ name }) => name !== data.secret);
  const secrets = change(others).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  await db
    .updateTable("environments")
    .set((eb) => ({
      secrets: JSON.stringify(secrets),
      updated_at: metadata.occurred_at,
      version: eb("version", "+", 1),
    }))
    .where("id", "=", data.environmentId)
    .execute();
};

type Row = Omit<EnvironmentTables["environments"], "removed" | "variables" | "secrets">;

/** An environment as it is shown: of its secrets the names alone. */
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

/** Environments and files of projects as read models have them. Whose they are comes with them: the caller decides who may see them. */
export const environmentQueries = (db: Kysely<AllTables>) => ({
  /** An environment, whosever it is; null when there is none of that id. Removed ones only where they are asked for. */
  findEnvironment: async (
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
  },

  /** Environments of a project, newest first, one more than `limit` where there are more; after the environment `cursor`. */
  listEnvironments: async (
    projectId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
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
  },

  /** The environments of these projects that are called so, in any case of letters. */
  environmentsCalled: async (
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
  },

  /** The file of a project by its name; null when it has none of that name. */
  findFile: async (projectId: string, name: string): Promise<FileRow | null> => {
    const row = await db
      .selectFrom("project_files")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("name", "=", name)
      .executeTakeFirst();
    return row ?? null;
  },

  /** Files of a project, newest first, one more than `limit` where there are more; after the file `cursor`. */
  listFiles: (
    projectId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<FileRow[]> =>
    db
      .selectFrom("project_files")
      .selectAll()
      .where("project_id", "=", projectId)
      .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
      .orderBy("id", "desc")
      .limit(page.limit + 1)
      .execute(),
});
