import { type Kysely, sql } from "kysely";
import type { Progress } from "./applyBatch.ts";
import { type Projection, schemaOf } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

type Trx = Kysely<KernelTables>;

/** The advisory lock for creating, swapping and dropping schemas. */
const SCHEMA_LOCK = 7_310_423_001n;
/** The lock timeout of a swap, for long reads of a view. */
const LOCK_TIMEOUT = "2s";

/**
 * Creates missing schemas, tables, checkpoints and views of projections. In an empty database all builds are shown at
 * once; otherwise new projections and versions are built first. Concurrent calls of several processes are safe.
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
 * Creates a build of the same version to replace the shown one, unless one is in progress. Resolves with the number of
 * the build.
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
    const inProgress = rows.find(({ state }) => state === "building");
    if (inProgress) return { build: inProgress.build, isNew: false };
    const build = 1 + Math.max(0, ...rows.map((row) => row.build));
    await createBuild(trx, projection, build, "building");
    return { build, isNew: true };
  });

/**
 * Changes the set of events that a version skips. `change` returns whether it changed anything. A build in progress is
 * replaced by a new one, because it may contain skipped events or lack others.
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
    const inProgress = rows.filter(({ state }) => state === "building");
    for (const { build } of inProgress) {
      await trx
        .updateTable("projection_checkpoints")
        .set({ state: "retired" })
        .where("name", "=", name)
        .where("version", "=", version)
        .where("build", "=", build)
        .execute();
    }
    const last = rows.at(-1)?.build ?? 0;
    if (inProgress.length > 0) await createBuild(trx, projection, last + 1, "building");
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

/** Creates a schema with the tables of a projection. */
export const createTables = async (
  trx: Trx,
  projection: Projection,
  schema: string,
): Promise<void> => {
  await sql`create schema if not exists ${sql.id(schema)}`.execute(trx);
  await projection.create(trx.withSchema(schema) as unknown as Kysely<unknown>);
};

/** The shown builds of the versions of this release: the builds of the main loop. */
export const loadShown = async (
  db: Kysely<KernelTables>,
  projections: readonly Projection[],
): Promise<Progress[]> => buildsOf(projections, await loadRows(db, "shown"));

/** The builds in progress of the versions of this release. */
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

/** Locks the checkpoints of all builds of a projection: its loop is blocked until the transaction ends. */
export const lockBuilds = async (trx: Trx, name: string) => {
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(trx);
  return trx
    .selectFrom("projection_checkpoints")
    .select(["version", "build", "state", "position"])
    .where("name", "=", name)
    .orderBy("version")
    .orderBy("build")
    .forUpdate()
    .execute();
};

/** Shows a build to queries from the commit on, and retires the previous one. */
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

/** Drops the schemas of retired builds. Builds that are being read are dropped later. */
export const dropRetired = async (db: Kysely<KernelTables>): Promise<void> => {
  const rows = await db
    .selectFrom("projection_checkpoints")
    .select(["name", "version", "build"])
    .where("state", "=", "retired")
    .execute();
  for (const { name, version, build } of rows) {
    await locked(db, async (trx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(trx);
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

export const dropSchema = async (db: Kysely<KernelTables>, schema: string): Promise<void> => {
  await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(db);
};

/** Whether a statement failed with a lock timeout. */
export const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === "55P03";

const locked = <T>(db: Kysely<KernelTables>, work: (trx: Trx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(trx);
    return work(trx);
  });
