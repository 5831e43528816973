import { type Kysely, sql } from "kysely";
import type { Progress } from "./applyBatch.ts";
import { type Projection, schemaOf } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

type Trx = Kysely<KernelTables>;

/** An advisory lock's key: one process at a time makes, swaps and drops schemas. */
const SCHEMA_LOCK = 7_310_423_001n;
/** Whoever reads a view for longer than this is not waited for: the swap is tried again. */
const LOCK_PATIENCE = "2s";

/**
 * Makes what is missing of each projection: its schema, its tables, its checkpoint, and the views that
 * queries read where there are none. With nothing there yet, all are folded together from the start;
 * else a new one, or a new version, is built aside. Safe with several processes starting at once.
 */
export const prepareProjections = (
  db: Kysely<KernelTables>,
  projections: readonly Projection[],
): Promise<void> =>
  locked(db, async (trx) => {
    const rows = await trx
      .selectFrom("projection_checkpoints")
      .select(["name", "version"])
      .execute();
    const state = rows.length === 0 ? "shown" : "building";
    for (const projection of projections) {
      const { name, version } = projection;
      if (rows.some((row) => row.name === name && row.version === version)) continue;
      await createBuild(trx, projection, 1, state);
      for (const table of projection.tables) {
        const { rows: views } = await sql`
          select 1 from pg_views where schemaname = 'public' and viewname = ${table}`.execute(trx);
        if (views.length === 0) await showTable(trx, { projection, build: 1 }, table);
      }
    }
  });

/**
 * Makes a build of the same version, to take the place of the one that is shown; whoever builds finds it.
 * Answers the number of the build, of the one under way where there is one already.
 */
export const createRebuild = (
  db: Kysely<KernelTables>,
  projection: Projection,
): Promise<{ readonly build: number; readonly isNew: boolean }> =>
  locked(db, async (trx) => {
    const rows = await trx
      .selectFrom("projection_checkpoints")
      .select(["build", "state"])
      .where("name", "=", projection.name)
      .where("version", "=", projection.version)
      .execute();
    const underWay = rows.find(({ state }) => state === "building");
    if (underWay) return { build: underWay.build, isNew: false };
    const build = 1 + Math.max(0, ...rows.map((row) => row.build));
    await createBuild(trx, projection, build, "building");
    return { build, isNew: true };
  });

/**
 * Changes which events a version leaves out; `change` says whether it did. A build of it that is under way may
 * hold what is to be left out, or lack what is not any more: a new one begins in its place.
 */
export const changeLeftOut = (
  db: Kysely<KernelTables>,
  projection: Projection,
  change: (trx: Trx) => Promise<boolean>,
): Promise<boolean> =>
  locked(db, async (trx) => {
    const { name, version } = projection;
    const rows = await trx
      .selectFrom("projection_checkpoints")
      .select(["build", "state"])
      .where("name", "=", name)
      .where("version", "=", version)
      .orderBy("build")
      .forUpdate()
      .execute();
    if (!(await change(trx))) return false;
    const underWay = rows.filter(({ state }) => state === "building");
    for (const { build } of underWay) {
      await trx
        .updateTable("projection_checkpoints")
        .set({ state: "retired" })
        .where("name", "=", name)
        .where("version", "=", version)
        .where("build", "=", build)
        .execute();
    }
    const last = rows.at(-1)?.build ?? 0;
    if (underWay.length > 0) await createBuild(trx, projection, last + 1, "building");
    return true;
  });

const createBuild = async (
  trx: Trx,
  projection: Projection,
  build: number,
  state: "shown" | "building",
): Promise<void> => {
  const { name, version } = projection;
  await trx
    .insertInto("projection_checkpoints")
    .values({ name, version, build, state, position: null, advanced_at: sql`now()` })
    .execute();
  await createTables(trx, projection, schemaOf(projection, build));
};

/** Makes a schema with the tables of a projection in it. */
export const createTables = async (
  trx: Trx,
  projection: Projection,
  schema: string,
): Promise<void> => {
  await sql`create schema if not exists ${sql.id(schema)}`.execute(trx);
  await projection.create(trx.withSchema(schema) as unknown as Kysely<unknown>);
};

/** The builds that queries read, of the versions that this process knows: what the one loop folds. */
export const loadShown = async (
  db: Kysely<KernelTables>,
  projections: readonly Projection[],
): Promise<Progress[]> => buildsOf(projections, await loadRows(db, "shown"));

/** The builds that are to take a shown one's place, of the versions that this process knows. */
export const loadBuilding = async (
  db: Kysely<KernelTables>,
  projections: readonly Projection[],
): Promise<Progress[]> => buildsOf(projections, await loadRows(db, "building"));

type Row = Pick<KernelTables["projection_checkpoints"], "name" | "version" | "build" | "position">;

const loadRows = (db: Kysely<KernelTables>, state: "shown" | "building"): Promise<Row[]> =>
  db
    .selectFrom("projection_checkpoints")
    .select(["name", "version", "build", "position"])
    .where("state", "=", state)
    .orderBy("name")
    .execute();

const buildsOf = (projections: readonly Projection[], rows: readonly Row[]): Progress[] =>
  projections.flatMap((projection) =>
    rows
      .filter(({ name, version }) => name === projection.name && version === projection.version)
      .map(({ build, position }) => ({ projection, build, position })),
  );

/** The checkpoint rows of a projection, whatever its version, locked: its loop stands still until the transaction ends. */
export const lockBuilds = async (trx: Trx, name: string) => {
  await sql`set local lock_timeout = ${sql.lit(LOCK_PATIENCE)}`.execute(trx);
  return trx
    .selectFrom("projection_checkpoints")
    .select(["version", "build", "state", "position"])
    .where("name", "=", name)
    .orderBy("version")
    .orderBy("build")
    .forUpdate()
    .execute();
};

/** Makes queries read a build from the end of the transaction on, and retires the ones that they read before. */
export const showBuild = async (trx: Trx, one: Omit<Progress, "position">): Promise<void> => {
  const { projection, build } = one;
  await trx
    .updateTable("projection_checkpoints")
    .set({ state: "retired" })
    .where("name", "=", projection.name)
    .where("state", "=", "shown")
    .execute();
  await trx
    .updateTable("projection_checkpoints")
    .set({ state: "shown" })
    .where("name", "=", projection.name)
    .where("version", "=", projection.version)
    .where("build", "=", build)
    .execute();
  for (const table of projection.tables) await showTable(trx, one, table);
};

const showTable = async (
  trx: Trx,
  { projection, build }: Omit<Progress, "position">,
  table: string,
): Promise<void> => {
  const source = sql.id(schemaOf(projection, build), table);
  await sql`drop view if exists ${sql.id("public", table)}`.execute(trx);
  await sql`create view ${sql.id("public", table)} as select * from ${source}`.execute(trx);
};

/** Drops the schemas of builds that were retired, those that nobody reads at this moment. */
export const dropRetired = async (db: Kysely<KernelTables>): Promise<void> => {
  const rows = await db
    .selectFrom("projection_checkpoints")
    .select(["name", "version", "build"])
    .where("state", "=", "retired")
    .execute();
  for (const { name, version, build } of rows) {
    await locked(db, async (trx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_PATIENCE)}`.execute(trx);
      const gone = await trx
        .deleteFrom("projection_checkpoints")
        .where("name", "=", name)
        .where("version", "=", version)
        .where("build", "=", build)
        .where("state", "=", "retired")
        .returning("name")
        .executeTakeFirst();
      if (gone) await dropSchema(trx, schemaOf({ name, version }, build));
    });
  }
};

/** Drops a schema with all that is in it. */
export const dropSchema = async (db: Kysely<KernelTables>, schema: string): Promise<void> => {
  await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(db);
};

/** Whether a statement failed because someone else held what it needed for too long. */
export const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "55P03";

const locked = <T>(db: Kysely<KernelTables>, work: (trx: Trx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    return work(trx);
  });
