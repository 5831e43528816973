import { type Kysely, sql } from "kysely";

/**
 * Changes the row of a resource by an event: its version is one more, or `version` where the resource has a stream of its
 * own. A row that is not there stays so.
 */
export const changeRow = async <Tables, Table extends keyof Tables & string>(
  db: Kysely<Tables>,
  table: Table,
  event: { readonly metadata: { readonly occurred_at: string } },
  id: string,
  values: Partial<Tables[Table]>,
  version?: number,
): Promise<void> => {
  const resources = db as unknown as Kysely<Record<"resource", Resource>>;
  await resources
    .updateTable(table as string as "resource")
    .set({
      ...(values as object),
      updated_at: event.metadata.occurred_at,
      version: version ?? sql<number>`version + 1`,
    })
    .where("id", "=", id)
    .execute();
};

/** What every resource's row has. */
type Resource = { readonly id: string; readonly updated_at: string; readonly version: number };
