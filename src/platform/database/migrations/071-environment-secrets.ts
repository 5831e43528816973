import type { Kysely } from "kysely";

/** The values of the secrets of environments, which the log must not contain. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("environment_secrets")
    .addColumn("environment_id", "uuid", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("project_id", "uuid", (c) => c.notNull())
    // Encrypted with the master key; never shown.
    .addColumn("value_sealed", "text", (c) => c.notNull())
    .addColumn("set_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("environment_secrets_pkey", ["environment_id", "name"])
    .execute();
};
