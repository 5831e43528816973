import type { Kysely } from "kysely";
import type { AllTables, Page } from "./rows.ts";
import type { TagTables } from "./tags.ts";

export type TagRow = TagTables["tags"];

/** What is asked about tags. Whose they are comes with them: the caller decides who may see them. */
export const tagQueries = (db: Kysely<AllTables>) => ({
  /** A tag, whosever it is; null when there is none of that id. */
  findTag: async (id: string): Promise<TagRow | null> => {
    const row = await db.selectFrom("tags").selectAll().where("id", "=", id).executeTakeFirst();
    return row ?? null;
  },

  /** Tags of an organisation, newest first, one more than `limit` where there are more; after the tag `cursor`. */
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
