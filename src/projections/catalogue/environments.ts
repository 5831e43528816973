import type { Kysely } from "kysely";
import type { ProjectEvent } from "../../domain/catalogue/projects/events.ts";
import { projectDecider } from "../../domain/catalogue/projects/project.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

/** The value of a secret is not in the read model. */
export type SecretName = { readonly name: string; readonly set_at: string };

export type EnvironmentTables = {
  /** Keeps removed environments, so that their organisation stays known. */
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
      const values = {
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
          ...values,
          secrets: "[]",
          created_at: at,
          version: 1,
          removed: false,
        })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet((eb) => ({
            ...values,
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
      const values = {
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
          ...values,
        })
        .onConflict((conflict) => conflict.columns(["project_id", "name"]).doUpdateSet(values))
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

/** Stores the result of `change`, which gets all secrets except the event's own. Sorted by name. */
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
