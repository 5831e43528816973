import type { Kysely } from "kysely";
import { open, seal } from "../../platform/crypto.ts";

type EnvironmentSecretTables = {
  environment_secrets: {
    environment_id: string;
    name: string;
    organization_id: string;
    project_id: string;
    value_sealed: string;
    set_at: string;
  };
};

type SecretAt = { readonly environmentId: string; readonly name: string };

export type EnvironmentSecrets = {
  /** Stores or replaces a value. */
  set(
    at: SecretAt & { readonly projectId: string; readonly organizationId: string },
    value: string,
    now: string,
  ): Promise<void>;
  remove(at: SecretAt): Promise<void>;
  removeEnvironment(environmentId: string): Promise<void>;
  removeProject(projectId: string): Promise<void>;
  removeOrganization(organizationId: string): Promise<void>;
  /** Decrypts values by name. Only for the executor. Leaves out names that do not exist. */
  read(
    environmentId: string,
    organizationId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
};

/** Stores secrets encrypted with the master key and bound to environment and name. */
export const environmentSecrets = (deps: {
  readonly db: Kysely<EnvironmentSecretTables>;
  readonly masterKey: Buffer;
}): EnvironmentSecrets => {
  const { db, masterKey } = deps;
  const contextOf = ({ environmentId, name }: SecretAt) => `secret:${environmentId}:${name}`;
  return {
    set: async (at, value, now) => {
      const sealed = { value_sealed: seal(masterKey, value, contextOf(at)), set_at: now };
      await db
        .insertInto("environment_secrets")
        .values({
          environment_id: at.environmentId,
          name: at.name,
          organization_id: at.organizationId,
          project_id: at.projectId,
          ...sealed,
        })
        .onConflict((conflict) => conflict.columns(["environment_id", "name"]).doUpdateSet(sealed))
        .execute();
    },
    remove: async ({ environmentId, name }) => {
      await db
        .deleteFrom("environment_secrets")
        .where("environment_id", "=", environmentId)
        .where("name", "=", name)
        .execute();
    },
    removeEnvironment: async (environmentId) => {
      await db
        .deleteFrom("environment_secrets")
        .where("environment_id", "=", environmentId)
        .execute();
    },
    removeProject: async (projectId) => {
      await db.deleteFrom("environment_secrets").where("project_id", "=", projectId).execute();
    },
    removeOrganization: async (organizationId) => {
      await db
        .deleteFrom("environment_secrets")
        .where("organization_id", "=", organizationId)
        .execute();
    },
    read: async (environmentId, organizationId, names) => {
      if (names.length === 0) return new Map();
      const rows = await db
        .selectFrom("environment_secrets")
        .select(["name", "value_sealed"])
        .where("environment_id", "=", environmentId)
        .where("organization_id", "=", organizationId)
        .where("name", "in", names)
        .execute();
      return new Map(
        rows.map(({ name, value_sealed }) => [
          name,
          open(masterKey, value_sealed, contextOf({ environmentId, name })),
        ]),
      );
    },
  };
};
