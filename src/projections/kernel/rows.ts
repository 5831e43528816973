import { type RawBuilder, sql } from "kysely";
import { prepared } from "../../platform/database/database.ts";
import type { Target } from "./projection.ts";

/** Rows as JSON objects by column name. JSON columns are values, timestamps and bigints texts. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** The action for an existing row of the same key: an error, no change, or an update of columns. */
export type OnConflict =
  | { readonly key: readonly string[]; readonly set: readonly string[] }
  | "ignore"
  | "refuse";

/**
 * Inserts rows in one statement with one parameter. Keys must be unique, unless conflicts are ignored. `columns` are
 * needed if the table has other columns with default values.
 */
export const insertRows = async (
  into: Target,
  table: string,
  rows: Rows,
  onConflict: OnConflict,
  columns?: readonly string[],
): Promise<void> => {
  if (rows.length === 0) return;
  const names = columns && sql.join(columns.map((name) => sql.id(name)));
  await sql`${prepared}
    insert into ${sql.id(into.schema, table)} ${names ? sql`(${names})` : sql``}
    select ${names ?? sql`*`} from ${recordset(into, table, rows)}
    ${conflictClause(onConflict)}`.execute(into.db);
};

/** Rows as the source of a statement (`json_populate_recordset`), with the column types of a table. Missing columns are null. */
export const recordset = (into: Target, table: string, rows: Rows): RawBuilder<unknown> =>
  sql`json_populate_recordset(null::${sql.id(into.schema, table)}, ${toJson(rows)}::json)`;

const conflictClause = (onConflict: OnConflict): RawBuilder<unknown> => {
  if (onConflict === "refuse") return sql``;
  if (onConflict === "ignore") return sql`on conflict do nothing`;
  const key = sql.join(onConflict.key.map((name) => sql.id(name)));
  const set = sql.join(
    onConflict.set.map((name) => sql`${sql.id(name)} = ${sql.id("excluded", name)}`),
  );
  return sql`on conflict (${key}) do update set ${set}`;
};

/** Escapes that PostgreSQL's JSON refuses: U+0000 and lone surrogates. */
const REFUSED = /\\u(0000|d[89a-f])/i;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** JSON that PostgreSQL accepts: characters that it refuses become U+FFFD. */
export const toJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  if (!REFUSED.test(json)) return json;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? storable(part) : part,
  );
};

const storable = (text: string): string =>
  text.replaceAll("\0", "\ufffd").replace(LONE_SURROGATE, "\ufffd");
