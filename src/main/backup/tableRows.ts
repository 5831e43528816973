import type pg from "pg";
import {
  backedUpTables,
  positionColumns,
  rebuiltCheckpoints,
  rebuiltTables,
} from "../../stores/kernel/stateTables.ts";
import type { Manifest } from "./manifest.ts";
import { linesOf, type PartWriter, readPart } from "./parts.ts";

/** Rows per fetch and bytes per insert. */
const FETCH_ROWS = 500;
const INSERT_BYTES = 4 * 1_024 * 1_024;

/** A consistent snapshot: every query on `client` sees the same state of the database. */
export type Snapshot = { readonly client: pg.ClientBase; end(): Promise<void> };

/** Opens a read-only transaction at isolation level repeatable read. */
export const takeSnapshot = async (pool: pg.Pool): Promise<Snapshot> => {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    await disableTimeouts(client);
    // The snapshot is taken by the first query.
    await client.query("select 1 from pg_catalog.pg_class limit 1");
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    client,
    end: async () => {
      await client.query("rollback").catch(() => undefined);
      client.release(true);
    },
  };
};

/** Lifts the statement time-outs of the service, because a backup may take long. */
const disableTimeouts = async (client: pg.ClientBase): Promise<void> => {
  await client.query("set local statement_timeout = 0");
  await client.query("set local idle_in_transaction_session_timeout = 0");
};

/** The state tables of a database, in the order of `backedUpTables`. */
export const presentTables = async (client: pg.ClientBase | pg.Pool): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_catalog.pg_tables where schemaname = 'public'",
  );
  const present = new Set(rows.map(({ name }) => name));
  return backedUpTables.filter((table) => present.has(table));
};

/** Whether a database has the tables of a service. */
export const hasTables = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query("select to_regclass('public.migrations') is not null as there");
  return rows[0]?.there === true;
};

/** The migrations applied to a database. */
export const appliedMigrations = async (client: pg.ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "select name from public.migrations order by name",
  );
  return rows.map(({ name }) => name);
};

/** The state tables that have rows. */
export const filledTables = async (pool: pg.Pool): Promise<string[]> => {
  const filled: string[] = [];
  for (const table of await presentTables(pool)) {
    const { rows } = await pool.query(`select exists (select from public.${table}) as filled`);
    if (rows[0]?.filled === true) filled.push(table);
  }
  return filled;
};

/** Drops all tables created by migrations. */
export const dropTables = async (pool: pg.Pool): Promise<void> => {
  const tables = [...backedUpTables, ...rebuiltTables].map((table) => `public.${table}`);
  await pool.query(`drop table if exists ${tables.join(", ")} cascade`);
};

/** Whether a service runs on a database, judged by unexpired leases. */
export const isInUse = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query("select to_regclass('public.leaderships') as leases");
  if (rows[0]?.leases === null) return false;
  const { rows: held } = await pool.query(
    "select exists (select from public.leaderships where expires_at > now()) as held",
  );
  return held[0]?.held === true;
};

/** The advisory lock of a restore: "rest" as a number. */
const RESTORE_LOCK = 0x72657374;

/** Locks a database for a restore. Returns the release function; null if another restore holds the lock. */
export const lockForRestore = async (pool: pg.Pool): Promise<(() => Promise<void>) | null> => {
  const client = await pool.connect();
  // A lost connection is reported by the queries of the restore.
  client.on("error", () => undefined);
  try {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [RESTORE_LOCK]);
    if (rows[0]?.taken === true) {
      return async () => {
        await client.query("select pg_advisory_unlock($1)", [RESTORE_LOCK]).catch(() => undefined);
        client.release(true);
      };
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  client.release(true);
  return null;
};

/** Whether a restore is running on a database. */
export const isRestoring = async (pool: pg.Pool): Promise<boolean> => {
  const { rows } = await pool.query(
    `select exists (
       select from pg_locks
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
         and classid = 0 and objid = $1 and granted
     ) as held`,
    [RESTORE_LOCK],
  );
  return rows[0]?.held === true;
};

/** Writes the rows of a table as JSON lines. Returns their number. */
export const writeRows = async (
  client: pg.ClientBase,
  table: string,
  writer: PartWriter,
): Promise<number> => {
  let count = 0;
  await client.query(
    `declare rows_of no scroll cursor for select to_jsonb(t)::text as line from public.${table} t`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${FETCH_ROWS} from rows_of`);
    for (const { line } of rows) await writer.add(Buffer.from(`${line}\n`));
    count += rows.length;
    if (rows.length < FETCH_ROWS) break;
  }
  await client.query("close rows_of");
  return count;
};

/**
 * Inserts the rows of a backup in one transaction and translates log positions with `positionOf`. The tables must be
 * empty and have the schema of the backup.
 */
export const restoreRows = async (
  pool: pg.Pool,
  backup: { readonly folder: string; readonly manifest: Manifest },
  positionOf: (position: bigint) => bigint | null,
): Promise<void> => {
  const { folder, manifest } = backup;
  const client = await pool.connect();
  try {
    await client.query("begin");
    await disableTimeouts(client);
    for (const table of backedUpTables) {
      for (const part of manifest.parts) {
        if (part.kind !== "state" || part.table !== table) continue;
        await insertLines(client, table, linesOf(await readPart(folder, part)));
      }
    }
    await movePositions(client, positionOf);
    await continueSequences(client);
    await client.query("commit");
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
};

const insertLines = async (
  client: pg.ClientBase,
  table: string,
  lines: readonly string[],
): Promise<void> => {
  for (let from = 0; from < lines.length; ) {
    let to = from;
    for (let size = 0; to < lines.length && (to === from || size < INSERT_BYTES); to += 1) {
      size += lines[to]?.length ?? 0;
    }
    await client.query(
      `insert into public.${table} select * from jsonb_populate_recordset(null::public.${table}, $1::jsonb)`,
      [`[${lines.slice(from, to).join(",")}]`],
    );
    from = to;
  }
};

/** The log positions stored in state tables, in order. */
export const namedPositions = async (client: pg.ClientBase | pg.Pool): Promise<bigint[]> => {
  const found = new Set<bigint>();
  for (const { table, column } of positionColumns) {
    const { rows } = await client.query<{ position: bigint | string }>(
      `select distinct ${column} as position from public.${table} where ${column} is not null`,
    );
    for (const { position } of rows) found.add(BigInt(position));
  }
  return [...found].sort((a, b) => (a < b ? -1 : 1));
};

/**
 * Translates every stored log position; null: before the first event. Empties the event index and its checkpoint, which
 * are rebuilt from the log.
 */
export const movePositions = async (
  client: pg.ClientBase,
  positionOf: (position: bigint) => bigint | null,
): Promise<void> => {
  await client.query("delete from public.reactor_checkpoints where name = any($1)", [
    rebuiltCheckpoints,
  ]);
  await client.query(
    "truncate public.event_index, public.event_index_streams, public.event_index_aliases",
  );
  const before = await namedPositions(client);
  const after = before.map((position) => String(positionOf(position) ?? 0n));
  for (const { table, column } of positionColumns) {
    // Negative in between, because a new position may equal the old position of another row in a unique column.
    await client.query(
      `update public.${table} as t set ${column} = -1 - moved.now
       from unnest($1::bigint[], $2::bigint[]) as moved(was, now)
       where t.${column} = moved.was and moved.was <> moved.now`,
      [before.map(String), after],
    );
    await client.query(`update public.${table} set ${column} = -1 - ${column} where ${column} < 0`);
  }
};

/** Sets sequences to continue after the highest value of their column. */
const continueSequences = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select c.table_name as table, c.column_name as column,
       pg_get_serial_sequence('public.' || c.table_name, c.column_name) as sequence
     from information_schema.columns as c
     where c.table_schema = 'public' and c.table_name = any($1)
       and pg_get_serial_sequence('public.' || c.table_name, c.column_name) is not null`,
    [backedUpTables],
  );
  for (const { table, column, sequence } of rows) {
    await client.query(
      `select setval($1, coalesce((select max("${column}") from public.${table}), 0) + 1, false)`,
      [sequence],
    );
  }
};
