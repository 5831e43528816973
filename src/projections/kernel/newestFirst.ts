import { type SelectQueryBuilder, sql } from "kysely";

/** A page of a list: at most `limit` rows after the id `cursor`, newest first unless sorted. */
export type Page = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort?: "created_at" | "-created_at" | undefined;
};

/** The time filter of a list. `until` is exclusive. */
export type Period = { readonly since?: string | undefined; readonly until?: string | undefined };

/** Orders rows by id (ids sort by time) and takes a page, with one more row than `limit` if there are more. */
export const inOrder = <Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, cursor, sort }: Page,
): SelectQueryBuilder<Tables, Table, Row> => {
  const isAscending = sort === "created_at";
  return query
    .$if(cursor !== undefined, (q) => q.where(sql.ref("id"), isAscending ? ">" : "<", cursor))
    .orderBy(sql.ref("id"), isAscending ? "asc" : "desc")
    .limit(limit + 1) as SelectQueryBuilder<Tables, Table, Row>;
};

/** Selects a page, newest first unless sorted. */
export const newestFirst = <Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  page: Page,
): Promise<Row[]> => inOrder(query, page).execute();

/** Restricts rows to those whose time `column` is within the period. */
export const within = <Tables, Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  column: string,
  { since, until }: Period,
): SelectQueryBuilder<Tables, Table, Row> =>
  query
    .$if(since !== undefined, (q) => q.where(sql.ref(column), ">=", since))
    .$if(until !== undefined, (q) => q.where(sql.ref(column), "<", until)) as SelectQueryBuilder<
    Tables,
    Table,
    Row
  >;
