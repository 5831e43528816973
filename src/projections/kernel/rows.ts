import { type RawBuilder, sql } from "kysely";
import { prepared } from "../../platform/database/database.ts";
import type { Target } from "./projection.ts";

/** Rows for a table, as JSON: columns by their names, JSON columns as they are, timestamps and bigints as texts. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What is done when a row of that key is there: nothing of it is changed, or these columns are set anew. */
export type OnConflict =
  | { readonly key: readonly string[]; readonly set: readonly string[] }
  | "ignore"
  | "refuse";

/**
 * Inserts rows in one statement: one parameter, however many they are. No key may stand in them twice, unless `ignore`.
 * `columns` are named where the table has others too, which it fills by itself.
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

/** `json_populate_recordset`: rows as a source of a statement, with the types of a table's columns; columns not given are null. */
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

/** What PostgreSQL's JSON refuses: the character 0, and half a pair of surrogates, as of a text cut in an emoji. */
const REFUSED = /\\u(0000|d[89a-f])/i;
const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** JSON that PostgreSQL takes, whatever stands in a text: what it refuses becomes U+FFFD. */
export const toJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  if (!REFUSED.test(json)) return json;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? storable(part) : part,
  );
};

const storable = (text: string): string =>
  text.replaceAll("\0", "\ufffd").replace(HALF_PAIR, "\ufffd");
