import { type Kysely, sql } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { runOnceAsLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { analyzeGrown } from "./analyze.ts";
import { loadAsked } from "./parking.ts";
import { type Projection, schemaOf } from "./projection.ts";
import { rebuild } from "./rebuild.ts";
import { retryParked } from "./retry.ts";
import { dropRetired, isLockedOut, loadBuilding } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";
import { verifyProjection } from "./verify.ts";

/** So often it is looked for work that someone asked for, in whatever process. */
const LOOK_MS = 500;
/** So often it is looked for tables of which the planner knows too little. */
const ANALYZE_MS = 5_000;

export type Maintenance = { stop(): Promise<void> };

export type MaintenanceDeps = {
  readonly log: EventLog;
  readonly db: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  /** Names this process in the leases of what it does. */
  readonly holder: string;
  /** Called with the builds that are shown, whenever it was looked: `name@version+build`, in order. */
  readonly onShown?: (shown: string) => Promise<void>;
};

/**
 * Does beside the one loop what takes long or was asked for: builds new versions and rebuilds, one at a
 * time, compares read models with the log, tries parked events again, drops what was retired, and tells the
 * planner of tables that have grown. What is to be done stands in tables; of several processes one does each piece, and another goes on when it dies.
 */
export const startMaintenance = (deps: MaintenanceDeps): Maintenance => {
  const { db, logger } = deps;
  const stopping = new AbortController();
  let long: Promise<void> | null = null;
  let analyzedAt = performance.now();

  const guarded = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (stopping.signal.aborted || isLockedOut(error)) return;
      logger.warn({ err: error, part: "projections" }, `${what} was interrupted`);
    }
  };

  const look = async (): Promise<void> => {
    const work = await findWork(db);
    await deps.onShown?.(work.shown ?? "");
    if (work.building || work.verifying) {
      long ??= guarded("a build or a verification", () =>
        doLongWork(deps, stopping.signal, guarded),
      ).finally(() => {
        long = null;
      });
    }
    // What one of these meets is nothing to the others.
    for (const asked of work.asked ? await loadAsked(db) : []) {
      await guarded("a retry", () => retryParked(deps, asked));
    }
    if (work.retired) await guarded("dropping old builds", () => dropRetired(db));
    if (performance.now() - analyzedAt < ANALYZE_MS) return;
    await guarded("a look at what has grown", () => analyzeGrown(db, deps.projections));
    analyzedAt = performance.now();
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await guarded("looking for work", look);
      await sleep(LOOK_MS, stopping.signal);
    }
    await long;
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

type Work = {
  readonly shown: string | null;
  readonly building: boolean;
  readonly retired: boolean;
  readonly asked: boolean;
  readonly verifying: boolean;
};

const findWork = async (db: Kysely<KernelTables>): Promise<Work> => {
  const { rows } = await sql<Work>`
    select
      string_agg(name || '@' || version || '+' || build, ' ' order by name, version, build)
        filter (where state = 'shown') as shown,
      coalesce(bool_or(state = 'building'), false) as building,
      coalesce(bool_or(state = 'retired'), false) as retired,
      exists (select from parked_events where retry_asked_at is not null) as asked,
      exists (select from projection_verifications where finished_at is null) as verifying
    from projection_checkpoints`.execute(db);
  const [work] = rows;
  if (!work) throw new Error("An aggregate without a row");
  return work;
};

/** One that fails, again and again perhaps, is tried again when all others have had their turn. */
const doLongWork = async (
  deps: MaintenanceDeps,
  stopping: AbortSignal,
  guarded: (what: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> => {
  const { db, holder, projections, logger } = deps;
  for (const { projection, build } of await loadBuilding(db, projections)) {
    if (stopping.aborted) return;
    const name = `projection:${schemaOf(projection, build)}`;
    const work = async (over: AbortSignal): Promise<void> => {
      // Read again: another process may have come further, or to the end.
      const building = await loadBuilding(db, [projection]);
      const one = building.find((candidate) => candidate.build === build);
      if (!one) return;
      await rebuild(deps, one, over);
      logger.info({ projection: projection.name, build }, "a read model was built and is shown");
    };
    await guarded(`the build of ${projection.name}`, () =>
      runOnceAsLeader({ name, db, holder, work }, stopping),
    );
  }
  const verifications = await db
    .selectFrom("projection_verifications")
    .select(["id", "name", "version"])
    .where("finished_at", "is", null)
    .orderBy("asked_at")
    .execute();
  for (const { id, name, version } of verifications) {
    const projection = projections.find((one) => one.name === name && one.version === version);
    if (!projection || stopping.aborted) continue;
    const work = async (over: AbortSignal): Promise<void> => {
      const result = JSON.stringify(await verifyProjection(deps, projection, over));
      await db
        .updateTable("projection_verifications")
        .set({ finished_at: sql`now()`, result })
        .where("id", "=", id)
        .execute();
    };
    const lead = { name: `verification:${id}`, db, holder, work };
    await guarded(`a verification of ${name}`, () => runOnceAsLeader(lead, stopping));
  }
};
