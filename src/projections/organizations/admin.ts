import { type Kysely, sql } from "kysely";
import type { PersonTables } from "../../stores/identity/persons.ts";
import type { OrganizationTables } from "./projection.ts";

type Page = { readonly limit: number; readonly cursor?: string | undefined };

export type AdminQueries = ReturnType<typeof adminQueries>;

/**
 * Queries of administrators across organisations. A list returns one row more than `limit` if there is another page.
 */
export const adminQueries = (db: Kysely<OrganizationTables & PersonTables>) => ({
  /** All accounts, the newest first, without saying whose they are. */
  listUsers: (page: Page) => {
    let query = db
      .selectFrom("persons")
      .select(["persons.id", "persons.created_at"])
      .select(sql<boolean>`persons.verified_at is not null`.as("email_verified"))
      .select((eb) =>
        eb
          .selectFrom("members")
          .select(sql<number>`count(*)::int`.as("count"))
          .whereRef("members.user_id", "=", "persons.id")
          .as("organizations"),
      )
      .where("persons.signed_up_at", "is not", null);
    if (page.cursor !== undefined) query = query.where("persons.id", "<", page.cursor);
    return query
      .orderBy("persons.id", "desc")
      .limit(page.limit + 1)
      .execute();
  },

  /** All organisations, the newest first. */
  listOrganizations: (page: Page) => {
    let query = db
      .selectFrom("organizations")
      .select(["id", "name", "created_at", "deletion_due_at"])
      .select((eb) =>
        eb
          .selectFrom("members")
          .select(sql<number>`count(*)::int`.as("count"))
          .whereRef("members.organization_id", "=", "organizations.id")
          .as("members"),
      );
    if (page.cursor !== undefined) query = query.where("id", "<", page.cursor);
    return query
      .orderBy("id", "desc")
      .limit(page.limit + 1)
      .execute();
  },
});
