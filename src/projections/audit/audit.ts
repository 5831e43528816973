import { type Kysely, sql } from "kysely";
import { type AuditEvent, auditDecider } from "../../domain/audit/audit.ts";
import { type UserEvent, userDecider } from "../../domain/identity/user.ts";
import type { Actor } from "../../domain/kernel/events.ts";
import { type ApiKeysEvent, apiKeysDecider } from "../../domain/organizations/apiKeys.ts";
import type { OrganizationEvent } from "../../domain/organizations/events.ts";
import { organizationDecider } from "../../domain/organizations/organization.ts";
import { type QuarantineEvent, quarantineDecider } from "../../domain/quarantine/quarantine.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";
import { type Page, type Period, within } from "../kernel/newestFirst.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

export type AuditTables = {
  /** Audited events of an organisation, in log order. Persons are identified by id. */
  audit_entries: {
    organization_id: string;
    position: bigint;
    /** Of the event. */
    id: string;
    event: string;
    occurred_at: string;
    recorded_at: string;
    actor: Actor;
    correlation_id: string;
    causation_id: string;
    /** The person concerned, if any. */
    user_id: string | null;
    data: Record<string, unknown>;
  };
  /** The members of an organisation, because their sign-ins are audited. */
  audit_members: { organization_id: string; user_id: string };
};

type Tables = Kysely<AuditTables>;
type Any = Recorded<OrganizationEvent | ApiKeysEvent | UserEvent | AuditEvent | QuarantineEvent>;

/** `organization-{id}`, `apiKeys-{id}`, `audit-{id}`, `user-{id}`. */
const idOf = ({ stream }: { readonly stream: string }): string =>
  stream.slice(stream.indexOf("-") + 1);

const entryOf = (event: Any, userId: string | null) => {
  const { metadata, type, data } = event;
  return {
    position: event.position,
    id: event.id,
    event: type,
    occurred_at: metadata.occurred_at,
    recorded_at: metadata.recorded_at,
    actor: metadata.actor,
    correlation_id: metadata.$correlationId,
    causation_id: metadata.$causationId,
    user_id: userId,
    data: data as Record<string, unknown>,
  };
};

/** Adds an event of an organisation. */
const note = (db: Tables, event: Any, userId: string | null = null) =>
  db
    .insertInto("audit_entries")
    .values({ organization_id: idOf(event), ...entryOf(event, userId) })
    .execute();

/** Adds an event about a person to each of their organisations. */
const noteOfPerson = async (db: Tables, event: Any): Promise<void> => {
  const userId = idOf(event);
  const rows = await db
    .selectFrom("audit_members")
    .select("organization_id")
    .where("user_id", "=", userId)
    .execute();
  if (rows.length === 0) return;
  const entry = entryOf(event, userId);
  await db
    .insertInto("audit_entries")
    .values(rows.map(({ organization_id }) => ({ organization_id, ...entry })))
    .execute();
};

/** Adds an event of a test, whose stream does not name the organisation. */
const noteOfTest = async (db: Tables, event: Any): Promise<void> => {
  const organization_id = event.metadata.organization_id ?? "";
  await db
    .insertInto("audit_entries")
    .values({ organization_id, ...entryOf(event, null) })
    .execute();
};

const join = (db: Tables, event: Any, userId: string) =>
  db
    .insertInto("audit_members")
    .values({ organization_id: idOf(event), user_id: userId })
    .execute();

const leave = (db: Tables, event: Any, userId: string) =>
  db
    .deleteFrom("audit_members")
    .where("organization_id", "=", idOf(event))
    .where("user_id", "=", userId)
    .execute();

/** The person concerned: `userId`, or the receiver of a transfer. */
const about = ({ data }: Any): string | null => {
  const { userId, to } = data as { userId?: unknown; to?: unknown };
  if (typeof userId === "string") return userId;
  return typeof to === "string" && to.length === 36 ? to : null;
};

const addOrganizationEvent = async (db: Tables, event: Any): Promise<void> => {
  await note(db, event, about(event));
};

/** Audited events of organisations: sign-ins and changes of access. */
export const auditProjection = defineProjection<
  AuditTables,
  OrganizationEvent | ApiKeysEvent | UserEvent | AuditEvent | QuarantineEvent
>({
  name: "audit",
  version: 2,
  tables: ["audit_entries", "audit_members"],
  // The organisations of a sign-in depend on earlier events of other streams.
  ordersTheLog: true,
  create: async (db) => {
    await db.schema
      .createTable("audit_entries")
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("position", "bigint", (c) => c.notNull())
      .addColumn("id", "uuid", (c) => c.notNull())
      .addColumn("event", "text", (c) => c.notNull())
      .addColumn("occurred_at", "timestamptz", (c) => c.notNull())
      .addColumn("recorded_at", "timestamptz", (c) => c.notNull())
      .addColumn("actor", "jsonb", (c) => c.notNull())
      .addColumn("correlation_id", "text", (c) => c.notNull())
      .addColumn("causation_id", "text", (c) => c.notNull())
      .addColumn("user_id", "uuid")
      .addColumn("data", "jsonb", (c) => c.notNull())
      .addPrimaryKeyConstraint("audit_entries_pkey", ["organization_id", "position"])
      .execute();
    await db.schema
      .createTable("audit_members")
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("user_id", "uuid", (c) => c.notNull())
      .addPrimaryKeyConstraint("audit_members_pkey", ["user_id", "organization_id"])
      .execute();
  },
  codecs: [
    organizationDecider.codec,
    apiKeysDecider.codec,
    userDecider.codec,
    auditDecider.codec,
    quarantineDecider.codec,
  ],
  on: {
    OrganizationCreated: async (db, event) => {
      await join(db, event, event.data.ownerId);
      await note(db, event, event.data.ownerId);
    },
    OrganizationRenamed: addOrganizationEvent,
    OrganizationSettingsChanged: addOrganizationEvent,
    MemberInvited: addOrganizationEvent,
    InviteResent: addOrganizationEvent,
    InviteAccepted: async (db, event) => {
      await join(db, event, event.data.userId);
      await addOrganizationEvent(db, event);
    },
    InviteRevoked: addOrganizationEvent,
    MemberRoleChanged: addOrganizationEvent,
    MemberRemoved: async (db, event) => {
      await leave(db, event, event.data.userId);
      await addOrganizationEvent(db, event);
    },
    OwnershipTransferred: addOrganizationEvent,
    OrganizationDeletionScheduled: addOrganizationEvent,
    OrganizationDeletionCancelled: addOrganizationEvent,
    OrganizationDeleted: async (db, event) => {
      for (const table of ["audit_entries", "audit_members"] as const) {
        await db.deleteFrom(table).where("organization_id", "=", idOf(event)).execute();
      }
    },
    ApiKeyCreated: addOrganizationEvent,
    ApiKeyRevoked: addOrganizationEvent,
    SessionOpened: noteOfPerson,
    SessionRevoked: noteOfPerson,
    RefreshTokenReused: noteOfPerson,
    SignInsRefused: noteOfPerson,
    PasswordChanged: noteOfPerson,
    EmailVerified: noteOfPerson,
    ExternalIdentityLinked: noteOfPerson,
    DataExported: addOrganizationEvent,
    QuarantineStarted: noteOfTest,
    QuarantineEnded: noteOfTest,
  },
});

export type AuditLine = AuditTables["audit_entries"] & {
  readonly actor_name: string | null;
  readonly actor_email: string | null;
  readonly user_name: string | null;
  readonly user_email: string | null;
};

/** Conditions on audited events, by the time that they occurred. */
export type AuditFilter = Period & {
  readonly event?: string | undefined;
  /** The person concerned. */
  readonly userId?: string | undefined;
};

export type AuditQueries = ReturnType<typeof auditQueries>;

export const auditQueries = (db: Kysely<AuditTables & PersonTables>) => ({
  /**
   * A page of an organisation's audited events, newest first unless sorted, one row more than `limit` if there is another page.
   * Names are the current ones; erased persons have none.
   */
  listAudit: (
    organizationId: string,
    page: { readonly limit: number; readonly after: bigint | null } & Pick<Page, "sort">,
    filter: AuditFilter = {},
  ): Promise<readonly AuditLine[]> => {
    let query = db
      .selectFrom("audit_entries")
      .leftJoin("persons as actors", (on) =>
        on.on(
          sql<boolean>`actors.id = case when audit_entries.actor->>'type' = 'user' then (audit_entries.actor->>'id')::uuid end`,
        ),
      )
      .leftJoin("persons as subjects", "subjects.id", "audit_entries.user_id")
      .selectAll("audit_entries")
      .select(["actors.name as actor_name", "actors.email as actor_email"])
      .select(["subjects.name as user_name", "subjects.email as user_email"])
      .where("audit_entries.organization_id", "=", organizationId);
    const isAscending = page.sort === "created_at";
    const { event, userId } = filter;
    query = within(query, "audit_entries.occurred_at", filter);
    if (event !== undefined) query = query.where("audit_entries.event", "=", event);
    if (userId !== undefined) query = query.where("audit_entries.user_id", "=", userId);
    if (page.after !== null) {
      query = query.where("audit_entries.position", isAscending ? ">" : "<", page.after);
    }
    return query
      .orderBy("audit_entries.position", isAscending ? "asc" : "desc")
      .limit(page.limit + 1)
      .execute();
  },
});
