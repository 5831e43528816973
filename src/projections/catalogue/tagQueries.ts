import type { Kysely } from "kysely";
import type { AllTables, Page } from "./rows.ts";
import type { TagTables } from "./tags.ts";

export type TagRow = TagTables["tags"];

/** These queries do not check permissions: rows contain `organization_id` for the caller's check. */
export const tagQueries = (db: Kysely<AllTables>) => ({
  findTag: async (id: string): Promise<TagRow | null> => {
    const row = await db.selectFrom("tags").selectAll().where("id", "=", id).executeTakeFirst();
    return row ?? null;
  },

  /** Newest first. Returns up to `limit + 1` rows. */
  listTags: (organizationId: string, page: Page): Promise<TagRow[]> =>
    db
      .selectFrom("tags")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
      .orderBy("id", "desc")
      .limit(page.limit + 1)
      .execute(),
});
