import type { Kysely } from "kysely";
import { type ApiKeysEvent, apiKeysDecider } from "../domain/organizations/apiKeys.ts";
import {
  type OrganizationEvent,
  organizationDecider,
} from "../domain/organizations/organization.ts";
import type { Role } from "../domain/organizations/permissions.ts";
import type { ApiKeyTables } from "../platform/state/apiKeyHashes.ts";
import { defineProjection } from "./kernel/projection.ts";

export type OrganizationTables = {
  organizations: { id: string; name: string; created_at: string };
  members: { organization_id: string; user_id: string; role: Role };
  api_keys: {
    id: string;
    organization_id: string;
    name: string;
    prefix: string;
    created_at: string;
    expires_at: string | null;
    revoked_at: string | null;
  };
};

/** Organisations, who belongs to them in which role, and their API keys. */
export const organizationsProjection = defineProjection<
  OrganizationTables,
  OrganizationEvent | ApiKeysEvent
>({
  name: "organizations",
  version: 1,
  tables: ["organizations", "members", "api_keys"],
  create: async (db) => {
    await db.schema
      .createTable("organizations")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("members")
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("user_id", "uuid", (c) => c.notNull())
      .addColumn("role", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("members_pkey", ["user_id", "organization_id"])
      .execute();
    await db.schema
      .createTable("api_keys")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("prefix", "text", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("expires_at", "timestamptz")
      .addColumn("revoked_at", "timestamptz")
      .execute();
    await db.schema
      .createIndex("api_keys_by_organization")
      .on("api_keys")
      .columns(["organization_id", "id"])
      .execute();
  },
  codecs: [organizationDecider.codec, apiKeysDecider.codec],
  on: {
    OrganizationCreated: async (db, { data, metadata }) => {
      const { organizationId, name, ownerId } = data;
      await db
        .insertInto("organizations")
        .values({ id: organizationId, name, created_at: metadata.occurred_at })
        .execute();
      await db
        .insertInto("members")
        .values({ organization_id: organizationId, user_id: ownerId, role: "owner" })
        .execute();
    },
    ApiKeyCreated: async (db, { data, metadata }) => {
      await db
        .insertInto("api_keys")
        .values({
          id: data.keyId,
          organization_id: data.organizationId,
          name: data.name,
          prefix: data.prefix,
          created_at: metadata.occurred_at,
          expires_at: data.expiresAt,
          revoked_at: null,
        })
        .execute();
    },
    ApiKeyRevoked: async (db, { data, metadata }) => {
      await db
        .updateTable("api_keys")
        .set({ revoked_at: metadata.occurred_at })
        .where("id", "=", data.keyId)
        .execute();
    },
  },
});

export type Membership = { readonly id: string; readonly name: string; readonly role: Role };

export type ListedApiKey = {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
};

export type OrganizationQueries = ReturnType<typeof organizationQueries>;

/** What is asked about organisations. When a key was last used comes from the state, not from the log. */
export const organizationQueries = (db: Kysely<OrganizationTables & ApiKeyTables>) => ({
  /** The organisations that a user belongs to, oldest first, with the user's role in each. */
  organizationsOf: (userId: string): Promise<readonly Membership[]> =>
    db
      .selectFrom("members")
      .innerJoin("organizations", "organizations.id", "members.organization_id")
      .select(["organizations.id", "organizations.name", "members.role"])
      .where("members.user_id", "=", userId)
      .orderBy("organizations.id")
      .execute(),

  findMembership: async (userId: string, organizationId: string): Promise<Membership | null> => {
    const row = await db
      .selectFrom("members")
      .innerJoin("organizations", "organizations.id", "members.organization_id")
      .select(["organizations.id", "organizations.name", "members.role"])
      .where("members.user_id", "=", userId)
      .where("members.organization_id", "=", organizationId)
      .executeTakeFirst();
    return row ?? null;
  },

  /** The keys that are not revoked, newest first; one row more than `limit` says that there is another page. */
  listApiKeys: (
    organizationId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<readonly ListedApiKey[]> => {
    let query = db
      .selectFrom("api_keys")
      .leftJoin("api_key_hashes", "api_key_hashes.key_id", "api_keys.id")
      .select([
        "api_keys.id",
        "api_keys.name",
        "api_keys.prefix",
        "api_keys.created_at",
        "api_keys.expires_at",
        "api_key_hashes.last_used_at",
      ])
      .where("api_keys.organization_id", "=", organizationId)
      .where("api_keys.revoked_at", "is", null);
    if (page.cursor !== undefined) query = query.where("api_keys.id", "<", page.cursor);
    return query
      .orderBy("api_keys.id", "desc")
      .limit(page.limit + 1)
      .execute();
  },
});
