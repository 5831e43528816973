import type { Kysely } from "kysely";
import type { AllTables, FolderRow } from "./rows.ts";

const columns = [
  "id",
  "organization_id",
  "project_id",
  "parent_id",
  "name",
  "created_at",
  "updated_at",
  "version",
] as const;

export const folderQueries = (db: Kysely<AllTables>) => ({
  /** Does not check the organisation. */
  findFolder: async (
    id: string,
    options: { readonly deletedToo?: boolean } = {},
  ): Promise<FolderRow | null> => {
    const row = await db
      .selectFrom("folders")
      .select(columns)
      .where("id", "=", id)
      .$if(options.deletedToo !== true, (q) => q.where("deleted", "=", false))
      .executeTakeFirst();
    return row ?? null;
  },

  /** Folders of an organisation or project in depth-first order, siblings by name. */
  listFolders: async (
    organizationId: string,
    projectId?: string,
  ): Promise<readonly (FolderRow & { readonly depth: number })[]> => {
    const rows = await db
      .selectFrom("folders")
      .select(columns)
      .where("organization_id", "=", organizationId)
      .$if(projectId !== undefined, (q) => q.where("project_id", "=", projectId ?? ""))
      .where("deleted", "=", false)
      .orderBy("project_id", "desc")
      .orderBy("name")
      .orderBy("id")
      .execute();
    return inTreeOrder(rows);
  },
});

const inTreeOrder = (rows: readonly FolderRow[]): (FolderRow & { depth: number })[] => {
  const below = new Map<string | null, FolderRow[]>();
  for (const row of rows) {
    const siblings = below.get(row.parent_id);
    if (siblings) siblings.push(row);
    else below.set(row.parent_id, [row]);
  }
  const ordered: (FolderRow & { depth: number })[] = [];
  const walk = (parentId: string | null, depth: number): void => {
    for (const row of below.get(parentId) ?? []) {
      ordered.push({ ...row, depth });
      walk(row.id, depth + 1);
    }
  };
  walk(null, 1);
  return ordered;
};
