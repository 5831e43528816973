import { type Kysely, sql } from "kysely";
import { type Projection, schemaOf } from "./projection.ts";

export type CheckpointTables = {
  projection_checkpoints: { name: string; version: number; position: bigint | null };
  parked_events: {
    consumer: string;
    position: bigint;
    event_id: string;
    type: string;
    error: string;
  };
};

/** An advisory lock's key: one process at a time makes schemas. */
const SCHEMA_LOCK = 7_310_423_001n;

/**
 * Makes what is missing of each projection: its schema, its tables, its checkpoint, and, where no
 * version is shown yet, the views that queries read. Safe with several processes starting at once.
 */
export const prepareProjections = (
  db: Kysely<CheckpointTables>,
  projections: readonly Projection[],
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    for (const projection of projections) {
      const { name, version } = projection;
      const created = await trx
        .insertInto("projection_checkpoints")
        .values({ name, version, position: null })
        .onConflict((conflict) => conflict.doNothing())
        .returning("name")
        .executeTakeFirst();
      if (!created) continue;
      await sql`create schema if not exists ${sql.id(schemaOf(projection))}`.execute(trx);
      await projection.create(trx.withSchema(schemaOf(projection)) as unknown as Kysely<unknown>);
      for (const table of projection.tables) {
        const { rows } = await sql`
          select 1 from pg_views where schemaname = 'public' and viewname = ${table}`.execute(trx);
        if (rows.length === 0) await showVersion(trx, projection, table);
      }
    }
  });

/** Makes the queries read this version of a projection from now on. One transaction swaps all its views. */
export const showProjection = (
  db: Kysely<CheckpointTables>,
  projection: Projection,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    for (const table of projection.tables) await showVersion(trx, projection, table);
  });

const showVersion = async (
  trx: Kysely<CheckpointTables>,
  projection: Projection,
  table: string,
): Promise<void> => {
  await sql`drop view if exists ${sql.id("public", table)}`.execute(trx);
  await sql`create view ${sql.id("public", table)} as select * from ${sql.id(
    schemaOf(projection),
    table,
  )}`.execute(trx);
};

/** The version of a projection that queries read now, null when none is shown. */
export const shownVersion = async (
  db: Kysely<CheckpointTables>,
  projection: Projection,
): Promise<string | null> => {
  const { rows } = await sql<{ schema: string }>`
    select distinct source.nspname as schema
    from pg_depend d
    join pg_rewrite r on r.oid = d.objid
    join pg_class v on v.oid = r.ev_class
    join pg_namespace shown on shown.oid = v.relnamespace and shown.nspname = 'public'
    join pg_class t on t.oid = d.refobjid and t.oid <> v.oid
    join pg_namespace source on source.oid = t.relnamespace
    where v.relname = ${projection.tables[0] ?? ""}`.execute(db);
  return rows[0]?.schema ?? null;
};
