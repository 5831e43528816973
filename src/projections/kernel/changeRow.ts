import { type Kysely, sql } from "kysely";

/**
 * Updates the row of a resource by an event, if it exists. Its version increases by one, or becomes `version` if the
 * resource has a stream of its own.
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

/** The common columns of resources. */
type Resource = { readonly id: string; readonly updated_at: string; readonly version: number };
