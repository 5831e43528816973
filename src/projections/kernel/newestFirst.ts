import { type SelectQueryBuilder, sql } from "kysely";

/** A page of a list: so many at most, after the one that a cursor names. */
export type Page = { readonly limit: number; readonly cursor?: string | undefined };

/** Rows by their ids, newest first, one more than `limit` where there are more. Ids sort by time. */
export const newestFirst = <Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, cursor }: Page,
): Promise<Row[]> =>
  query
    .$if(cursor !== undefined, (q) => q.where(sql.ref("id"), "<", cursor))
    .orderBy(sql.ref("id"), "desc")
    .limit(limit + 1)
    .execute();
