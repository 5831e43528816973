import { type SelectQueryBuilder, sql } from "kysely";

/** A page of a list: at most `limit` rows after the id `cursor`. */
export type Page = { readonly limit: number; readonly cursor?: string | undefined };

/** Selects a page by id, newest first (ids sort by time), with one more row than `limit` if there are more. */
export const newestFirst = <Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, cursor }: Page,
): Promise<Row[]> =>
  query
    .$if(cursor !== undefined, (q) => q.where(sql.ref("id"), "<", cursor))
    .orderBy(sql.ref("id"), "desc")
    .limit(limit + 1)
    .execute();
