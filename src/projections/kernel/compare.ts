import { createHash, randomBytes } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Projection } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

/** The numbers of actual, expected and differing rows of a table. */
export type TableComparison = {
  readonly table: string;
  readonly rows: number;
  readonly expected: number;
  readonly differing: number;
};

/** A value as a digest. `value` is set only if the type cannot hold secrets or personal data. */
export type DigestedValue = { readonly digest: string; readonly value?: unknown };

/** A row that differs. */
export type RowDifference = {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  /** changed: `column` differs; missing: the row should exist; extra: it should not. */
  readonly kind: "changed" | "missing" | "extra";
  readonly column: string | null;
  readonly live: DigestedValue | null;
  readonly expected: DigestedValue | null;
};

/** A row as JSON text in the order of its columns; null if it does not exist. */
export type RowText = string | null;

/** A difference with its row, to find the event that caused it. Not for output. */
export type FoundDifference = {
  readonly named: RowDifference;
  readonly keyColumns: readonly string[];
  readonly live: RowText;
};

type Column = { readonly name: string; readonly type: string; readonly is_key: boolean };

/** The types whose values are output. Texts and JSON contain user input, possibly passwords. */
const PUBLIC_TYPES = new Set([
  "uuid",
  "smallint",
  "integer",
  "bigint",
  "boolean",
  "timestamp with time zone",
]);

/** Compares the tables of two schemas by digests of their rows. `first` is the first difference by table and key. */
export const compareTables = async (
  trx: Kysely<KernelTables>,
  projection: Projection,
  schemas: { readonly live: string; readonly folded: string },
): Promise<{
  readonly tables: readonly TableComparison[];
  readonly first: FoundDifference | null;
}> => {
  const tables: TableComparison[] = [];
  let first: FoundDifference | null = null;
  for (const table of projection.tables) {
    const live = sql.id(schemas.live, table);
    const folded = sql.id(schemas.folded, table);
    await sql`analyze ${folded}`.execute(trx);
    const columns = await columnsOf(trx, schemas.folded, table);
    const keyColumns = columns.filter(({ is_key }) => is_key).map(({ name }) => name);
    const counts = await sql<{ rows: bigint; expected: bigint }>`
      select (select count(*) from ${live}) as rows, (select count(*) from ${folded}) as expected`.execute(
      trx,
    );
    const isSame = sql.join(
      keyColumns.map((name) => sql`l.${sql.id(name)} = f.${sql.id(name)}`),
      sql` and `,
    );
    const order = sql.join(
      keyColumns.map((name) => sql`coalesce(l.${sql.id(name)}, f.${sql.id(name)})`),
    );
    const isThere = (side: "l" | "f") => sql`${sql.id(side, keyColumns[0] ?? "")} is not null`;
    const { rows } = await sql<{ live: RowText; expected: RowText; differing: bigint }>`
      select case when ${isThere("l")} then row_to_json(l)::text end as live,
        case when ${isThere("f")} then row_to_json(f)::text end as expected,
        count(*) over () as differing
      from ${live} as l full join ${folded} as f on ${isSame}
      where md5(l::text) is distinct from md5(f::text)
      order by ${order} limit 1`.execute(trx);
    const [row] = rows;
    tables.push({
      table,
      rows: Number(counts.rows[0]?.rows ?? 0n),
      expected: Number(counts.rows[0]?.expected ?? 0n),
      differing: Number(row?.differing ?? 0n),
    });
    if (row) first ??= nameDifference(table, columns, keyColumns, row);
  }
  return { tables, first };
};

const columnsOf = async (
  trx: Kysely<KernelTables>,
  schema: string,
  table: string,
): Promise<readonly Column[]> => {
  const { rows } = await sql<Column>`
    select a.attname as name, format_type(a.atttypid, null) as type,
      coalesce(a.attnum = any(i.indkey), false) as is_key
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where n.nspname = ${schema} and c.relname = ${table}
    order by a.attnum`.execute(trx);
  return rows;
};

const nameDifference = (
  table: string,
  columns: readonly Column[],
  keyColumns: readonly string[],
  row: { readonly live: RowText; readonly expected: RowText },
): FoundDifference => {
  const live = parse(row.live);
  const expected = parse(row.expected);
  const there = live ?? expected ?? {};
  const key = Object.fromEntries(keyColumns.map((name) => [name, there[name]]));
  const column =
    live && expected
      ? columns.find(({ name }) => text(live[name]) !== text(expected[name]))
      : undefined;
  // A salt per report: short values cannot be found by trying digests.
  const salt = randomBytes(16);
  const digest = (whole: Readonly<Record<string, unknown>> | null): DigestedValue | null => {
    if (whole === null) return null;
    const value = column ? whole[column.name] : whole;
    const shown = column && PUBLIC_TYPES.has(column.type) ? { value } : {};
    return { digest: digestOf(salt, text(value)), ...shown };
  };
  return {
    named: {
      table,
      key,
      kind: live === null ? "missing" : expected === null ? "extra" : "changed",
      column: column?.name ?? null,
      live: digest(live),
      expected: digest(expected),
    },
    keyColumns,
    live: row.live,
  };
};

const parse = (row: RowText): Readonly<Record<string, unknown>> | null =>
  row === null ? null : JSON.parse(row);

const text = (value: unknown): string => JSON.stringify(value) ?? "null";

const digestOf = (salt: Buffer, value: string): string =>
  createHash("sha256").update(salt).update(value).digest("hex").slice(0, 16);
