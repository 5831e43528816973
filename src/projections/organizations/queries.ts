import { type Kysely, sql } from "kysely";
import type { Role } from "../../domain/organizations/permissions.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";
import type { ApiKeyTables } from "../../stores/organizations/apiKeyHashes.ts";
import type { InviteTables } from "../../stores/organizations/inviteAddresses.ts";
import type { OrganizationTables } from "./projection.ts";

/** Tables with data to delete after an organisation is deleted. Each has a column `organization_id`. */
const CLEANED_TABLES = [
  "api_key_hashes",
  "invite_addresses",
  "schedule_slots",
  "contact_addresses",
  "notification_addresses",
  "environment_secrets",
] as const;

export type Membership = { readonly id: string; readonly name: string; readonly role: Role };

export type ListedApiKey = {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
};

export type ListedOrganization = Membership & {
  readonly created_at: string;
  readonly deletion_due_at: string | null;
};

export type ListedMember = {
  /** User id. */
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly role: Role;
  readonly joined_at: string;
};

export type ListedInvite = Pick<
  OrganizationTables["invites"],
  "id" | "role" | "created_at" | "expires_at"
>;

const MAX_DELETIONS = 100;

type Queries = Kysely<OrganizationTables & ApiKeyTables & PersonTables & InviteTables>;

type Page = { readonly limit: number; readonly cursor?: string | undefined };

export type OrganizationQueries = ReturnType<typeof organizationQueries>;

/** The organisations of a user with the user's role, oldest first. */
const organizationsOf = (db: Queries, userId: string): Promise<readonly Membership[]> =>
  db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.organization_id")
    .select(["organizations.id", "organizations.name", "members.role"])
    .where("members.user_id", "=", userId)
    .orderBy("organizations.id")
    .execute();

/** A page of the organisations of a user, oldest first. */
const listOrganizations = (
  db: Queries,
  userId: string,
  page: Page,
): Promise<readonly ListedOrganization[]> => {
  let query = db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.organization_id")
    .select(["organizations.id", "organizations.name", "members.role"])
    .select(["organizations.created_at", "organizations.deletion_due_at"])
    .where("members.user_id", "=", userId);
  if (page.cursor !== undefined) query = query.where("organizations.id", ">", page.cursor);
  return query
    .orderBy("organizations.id")
    .limit(page.limit + 1)
    .execute();
};

const findOrganization = async (
  db: Queries,
  id: string,
): Promise<OrganizationTables["organizations"] | null> => {
  const row = await db
    .selectFrom("organizations")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
};

/** The members of an organisation in the order of their signup. Name and address of an erased person are null. */
const listMembers = (
  db: Queries,
  organizationId: string,
  page: Page,
): Promise<readonly ListedMember[]> => {
  let query = db
    .selectFrom("members")
    .leftJoin("persons", "persons.id", "members.user_id")
    .select(["members.user_id as id", "persons.email", "persons.name"])
    .select(["members.role", "members.joined_at"])
    .where("members.organization_id", "=", organizationId);
  if (page.cursor !== undefined) query = query.where("members.user_id", ">", page.cursor);
  return query
    .orderBy("members.user_id")
    .limit(page.limit + 1)
    .execute();
};

const findMember = async (
  db: Queries,
  organizationId: string,
  userId: string,
): Promise<ListedMember | null> => {
  const row = await db
    .selectFrom("members")
    .leftJoin("persons", "persons.id", "members.user_id")
    .select(["members.user_id as id", "persons.email", "persons.name"])
    .select(["members.role", "members.joined_at"])
    .where("members.organization_id", "=", organizationId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
};

/** The invites neither accepted nor revoked, newest first. */
const listInvites = (
  db: Queries,
  organizationId: string,
  page: Page,
): Promise<readonly ListedInvite[]> => {
  let query = db
    .selectFrom("invites")
    .select(["id", "role", "created_at", "expires_at"])
    .where("organization_id", "=", organizationId)
    .where("ended", "is", null);
  if (page.cursor !== undefined) query = query.where("id", "<", page.cursor);
  return query
    .orderBy("id", "desc")
    .limit(page.limit + 1)
    .execute();
};

/** Ids of organisations whose grace period has ended at `now`. */
const dueDeletions = async (db: Queries, now: string): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom("organization_deletions")
    .select("organization_id")
    .where("deleted_at", "is", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(MAX_DELETIONS)
    .execute();
  return rows.map(({ organization_id }) => organization_id);
};

/** Ids of deleted organisations with data left in the cleaned tables. */
const unclearedDeletions = async (db: Queries): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom("organization_deletions")
    .select("organization_id")
    .where("deleted_at", "is not", null)
    .where((where) =>
      where.or(
        CLEANED_TABLES.map(
          (table) =>
            sql<boolean>`exists (select from ${sql.table(table)} as left_over
              where left_over.organization_id = organization_deletions.organization_id)`,
        ),
      ),
    )
    .limit(MAX_DELETIONS)
    .execute();
  return rows.map(({ organization_id }) => organization_id);
};

const findMembership = async (
  db: Queries,
  userId: string,
  organizationId: string,
): Promise<Membership | null> => {
  const row = await db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.organization_id")
    .select(["organizations.id", "organizations.name", "members.role"])
    .where("members.user_id", "=", userId)
    .where("members.organization_id", "=", organizationId)
    .executeTakeFirst();
  return row ?? null;
};

/** The keys not revoked, newest first. */
const listApiKeys = (
  db: Queries,
  organizationId: string,
  page: Page,
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
};

/**
 * Queries of organisations. Names and addresses of persons and the last use of keys come from state tables. A list
 * returns one row more than `limit` if there is another page.
 */
export const organizationQueries = (db: Queries) => ({
  organizationsOf: organizationsOf.bind(null, db),
  listOrganizations: listOrganizations.bind(null, db),
  findOrganization: findOrganization.bind(null, db),
  listMembers: listMembers.bind(null, db),
  findMember: findMember.bind(null, db),
  listInvites: listInvites.bind(null, db),
  dueDeletions: dueDeletions.bind(null, db),
  unclearedDeletions: unclearedDeletions.bind(null, db),
  findMembership: findMembership.bind(null, db),
  listApiKeys: listApiKeys.bind(null, db),
});
