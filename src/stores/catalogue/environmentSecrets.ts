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

/** Where a secret belongs. */
type SecretAt = { readonly environmentId: string; readonly name: string };

export type EnvironmentSecrets = {
  /** Keeps a secret's value, in place of the one before. */
  set(
    at: SecretAt & { readonly projectId: string; readonly organizationId: string },
    value: string,
    now: string,
  ): Promise<void>;
  remove(at: SecretAt): Promise<void>;
  /** All secrets of an environment. */
  removeEnvironment(environmentId: string): Promise<void>;
  /** All secrets of a project's environments. */
  removeProject(projectId: string): Promise<void>;
  /** All secrets of an organisation. */
  removeOrganization(organizationId: string): Promise<void>;
  /** The values of an environment's secrets of these names, for the executor alone; what is not there is left out. */
  read(
    environmentId: string,
    organizationId: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
};

/** The secrets of environments, sealed with the master key, each for its own place. */
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
