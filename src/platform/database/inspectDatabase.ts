import { type Kysely, sql } from "kysely";
import type { AnySchema } from "./database.ts";
import { migrations } from "./migrations/index.ts";

/** The extensions that read models need (docs/operating.md). */
export const EXTENSIONS = ["pg_trgm", "btree_gin"] as const;

/** Properties of a PostgreSQL server. */
export type DatabaseFound = {
  readonly version: string;
  /** Such as 18. */
  readonly major: number;
  readonly encrypted: boolean;
  readonly encoding: string;
  /** false: acknowledged writes may be lost in a crash. */
  readonly durable: boolean;
  readonly connections: { readonly most: number; readonly open: number };
  /** The offset of its clock in milliseconds; positive if it is ahead. */
  readonly aheadMs: number;
  /** Whether the user may create tables and schemas. */
  readonly mayCreate: boolean;
  readonly extensions: Readonly<
    Record<(typeof EXTENSIONS)[number], "installed" | "available" | "absent">
  >;
  readonly migrations: {
    readonly applied: number;
    /** The migrations that the next start applies. */
    readonly pending: readonly string[];
    /** Migrations of a newer release. */
    readonly unknown: readonly string[];
  };
};

type About = {
  version: string;
  number: string;
  encrypted: boolean | null;
  encoding: string;
  fsync: string;
  synchronous_commit: string;
  most: string;
  open: string;
  now_ms: number;
  may_create: boolean;
};

/** Inspects a database without changes. Rejects if it is unavailable. */
export const inspectDatabase = async (db: Kysely<AnySchema>): Promise<DatabaseFound> => {
  const { rows } = await sql<About>`
    SELECT current_setting('server_version') AS version,
      current_setting('server_version_num') AS number,
      (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted,
      current_setting('server_encoding') AS encoding,
      current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous_commit,
      current_setting('max_connections') AS most,
      (SELECT count(*)::text FROM pg_stat_activity WHERE backend_type = 'client backend') AS open,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
      has_database_privilege(current_database(), 'CREATE')
        AND coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create`.execute(
    db,
  );
  const [about] = rows;
  if (!about) throw new Error("The database does not answer");
  const answered = Date.now();
  return {
    version: about.version,
    major: Math.floor(Number(about.number) / 10_000),
    encrypted: about.encrypted === true,
    encoding: about.encoding,
    durable: about.fsync === "on" && about.synchronous_commit !== "off",
    connections: { most: Number(about.most), open: Number(about.open) },
    aheadMs: Math.round(about.now_ms - answered),
    mayCreate: about.may_create,
    extensions: await extensionsOf(db),
    migrations: await migrationsOf(db),
  };
};

/** The highest position of all projection and reactor checkpoints; null if there is none. */
export const highestPosition = async (db: Kysely<AnySchema>): Promise<bigint | null> => {
  const { rows } = await sql<{ there: boolean }>`
    SELECT to_regclass('projection_checkpoints') IS NOT NULL
      AND to_regclass('reactor_checkpoints') IS NOT NULL AS there`.execute(db);
  if (!rows[0]?.there) return null;
  const read = await sql<{ position: string | null }>`
    SELECT max(position)::text AS position FROM (
      SELECT position FROM projection_checkpoints UNION ALL SELECT position FROM reactor_checkpoints
    ) AS checkpoints`.execute(db);
  const position = read.rows[0]?.position ?? null;
  return position === null ? null : BigInt(position);
};

const extensionsOf = async (db: Kysely<AnySchema>): Promise<DatabaseFound["extensions"]> => {
  const { rows } = await sql<{ name: string; installed: boolean }>`
    SELECT name, installed_version IS NOT NULL AS installed FROM pg_available_extensions`.execute(
    db,
  );
  const stateOf = (name: string) => {
    const found = rows.find((row) => row.name === name);
    return found ? (found.installed ? "installed" : "available") : "absent";
  };
  return { pg_trgm: stateOf("pg_trgm"), btree_gin: stateOf("btree_gin") };
};

const migrationsOf = async (db: Kysely<AnySchema>): Promise<DatabaseFound["migrations"]> => {
  const known = Object.keys(migrations);
  const { rows } = await sql<{ there: boolean }>`
    SELECT to_regclass('migrations') IS NOT NULL AS there`.execute(db);
  if (!rows[0]?.there) return { applied: 0, pending: known, unknown: [] };
  const applied = await sql<{ name: string }>`SELECT name FROM migrations`.execute(db);
  const names = applied.rows.map(({ name }) => name);
  return {
    applied: names.length,
    pending: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
  };
};
