import type { Kysely } from "kysely";
import { type ApiKeysEvent, apiKeysDecider } from "../../domain/organizations/apiKeys.ts";
import { type OrganizationEvent, organizationCodec } from "../../domain/organizations/events.ts";
import type { Role } from "../../domain/organizations/permissions.ts";
import {
  type OrganizationSettings,
  organizationSettings,
} from "../../domain/organizations/settings.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

export type OrganizationTables = {
  organizations: {
    id: string;
    name: string;
    settings: OrganizationSettings;
    created_at: string;
    updated_at: string;
    /** Version of the stream: every event increments it. */
    version: number;
    /** Scheduled deletion; null if none is scheduled. */
    deletion_due_at: string | null;
  };
  members: { organization_id: string; user_id: string; role: Role; joined_at: string };
  invites: {
    id: string;
    organization_id: string;
    role: Role;
    created_at: string;
    expires_at: string;
    /** null if the service created the invite. */
    invited_by: string | null;
    /** null while the invite is open. */
    ended: "accepted" | "revoked" | null;
  };
  /** Scheduled and completed deletions. Kept after the organisation's other rows, for the cleanup worker. */
  organization_deletions: { organization_id: string; due_at: string; deleted_at: string | null };
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

type Tables = Kysely<OrganizationTables>;
type Event<Type extends OrganizationEvent["type"]> = Recorded<
  Extract<OrganizationEvent, { type: Type }>
>;

/** The organisation of an event, from its stream name `organization-{id}`. */
const idOf = ({ stream }: { readonly stream: string }): string =>
  stream.slice(stream.indexOf("-") + 1);

/** Updates the row and sets the version of the event. */
const updateOrganization = (
  db: Tables,
  event: Event<OrganizationEvent["type"]>,
  changes: Partial<OrganizationTables["organizations"]> = {},
) =>
  db
    .updateTable("organizations")
    .set({
      ...changes,
      version: Number(event.revision) + 1,
      updated_at: event.metadata.occurred_at,
    })
    .where("id", "=", idOf(event))
    .execute();

const setRole = (db: Tables, organizationId: string, userId: string, role: Role) =>
  db
    .updateTable("members")
    .set({ role })
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();

const changeInvite = (
  db: Tables,
  id: string,
  changes: Partial<Pick<OrganizationTables["invites"], "ended" | "expires_at">>,
) => db.updateTable("invites").set(changes).where("id", "=", id).execute();

const createTables = async (db: Kysely<unknown>): Promise<void> => {
  await createOrganizationTables(db);
  await createInviteTables(db);
  await createApiKeyTables(db);
};

const createOrganizationTables = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("organizations")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("settings", "jsonb", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("deletion_due_at", "timestamptz")
    .execute();
  await db.schema
    .createTable("members")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("user_id", "uuid", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("joined_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("members_pkey", ["user_id", "organization_id"])
    .execute();
  await db.schema
    .createIndex("members_by_organization")
    .on("members")
    .columns(["organization_id", "user_id"])
    .execute();
  await db.schema
    .createTable("organization_deletions")
    .addColumn("organization_id", "uuid", (c) => c.primaryKey())
    .addColumn("due_at", "timestamptz", (c) => c.notNull())
    .addColumn("deleted_at", "timestamptz")
    .execute();
};

const createInviteTables = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("invites")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("created_at", "timestamptz", (c) => c.notNull())
    .addColumn("expires_at", "timestamptz", (c) => c.notNull())
    .addColumn("invited_by", "uuid")
    .addColumn("ended", "text")
    .execute();
  await db.schema
    .createIndex("invites_by_organization")
    .on("invites")
    .columns(["organization_id", "id"])
    .execute();
};

const createApiKeyTables = async (db: Kysely<unknown>): Promise<void> => {
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
};

/** Read model of organisations, members, invites and API keys. */
export const organizationsProjection = defineProjection<
  OrganizationTables,
  OrganizationEvent | ApiKeysEvent
>({
  name: "organizations",
  version: 2,
  tables: ["organizations", "members", "invites", "organization_deletions", "api_keys"],
  create: createTables,
  codecs: [organizationCodec, apiKeysDecider.codec],
  on: {
    OrganizationCreated: async (db, { data, metadata }) => {
      const { organizationId, name, ownerId } = data;
      const at = metadata.occurred_at;
      const settings = organizationSettings.parse({});
      await db
        .insertInto("organizations")
        .values({
          id: organizationId,
          name,
          settings,
          created_at: at,
          updated_at: at,
          version: 1,
          deletion_due_at: null,
        })
        .execute();
      await db
        .insertInto("members")
        .values({ organization_id: organizationId, user_id: ownerId, role: "owner", joined_at: at })
        .execute();
    },
    OrganizationRenamed: async (db, event) => {
      await updateOrganization(db, event, { name: event.data.name });
    },
    OrganizationSettingsChanged: async (db, event) => {
      await updateOrganization(db, event, { settings: event.data.settings });
    },
    MemberInvited: async (db, event) => {
      const { inviteId: id, role, expiresAt: expires_at } = event.data;
      const { actor, occurred_at: created_at } = event.metadata;
      const organization_id = idOf(event);
      const invited_by = actor.type === "user" ? actor.id : null;
      await db
        .insertInto("invites")
        .values({ id, organization_id, role, created_at, expires_at, invited_by, ended: null })
        .execute();
      await updateOrganization(db, event);
    },
    InviteResent: async (db, event) => {
      await changeInvite(db, event.data.inviteId, { expires_at: event.data.expiresAt });
      await updateOrganization(db, event);
    },
    InviteAccepted: async (db, event) => {
      const { inviteId, userId: user_id, role } = event.data;
      await changeInvite(db, inviteId, { ended: "accepted" });
      const joined_at = event.metadata.occurred_at;
      await db
        .insertInto("members")
        .values({ organization_id: idOf(event), user_id, role, joined_at })
        .execute();
      await updateOrganization(db, event);
    },
    InviteRevoked: async (db, event) => {
      await changeInvite(db, event.data.inviteId, { ended: "revoked" });
      await updateOrganization(db, event);
    },
    MemberRoleChanged: async (db, event) => {
      await setRole(db, idOf(event), event.data.userId, event.data.to);
      await updateOrganization(db, event);
    },
    MemberRemoved: async (db, event) => {
      await db
        .deleteFrom("members")
        .where("organization_id", "=", idOf(event))
        .where("user_id", "=", event.data.userId)
        .execute();
      await updateOrganization(db, event);
    },
    OwnershipTransferred: async (db, event) => {
      await setRole(db, idOf(event), event.data.from, "admin");
      await setRole(db, idOf(event), event.data.to, "owner");
      await updateOrganization(db, event);
    },
    OrganizationDeletionScheduled: async (db, event) => {
      const { dueAt: due_at } = event.data;
      await updateOrganization(db, event, { deletion_due_at: due_at });
      await db
        .insertInto("organization_deletions")
        .values({ organization_id: idOf(event), due_at, deleted_at: null })
        .execute();
    },
    OrganizationDeletionCancelled: async (db, event) => {
      await updateOrganization(db, event, { deletion_due_at: null });
      await db
        .deleteFrom("organization_deletions")
        .where("organization_id", "=", idOf(event))
        .execute();
    },
    OrganizationDeleted: async (db, event) => {
      const id = idOf(event);
      for (const table of ["members", "invites", "api_keys"] as const) {
        await db.deleteFrom(table).where("organization_id", "=", id).execute();
      }
      await db.deleteFrom("organizations").where("id", "=", id).execute();
      await db
        .updateTable("organization_deletions")
        .set({ deleted_at: event.metadata.occurred_at })
        .where("organization_id", "=", id)
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
