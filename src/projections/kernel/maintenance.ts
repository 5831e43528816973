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

/** The interval of polls for requested work. */
const POLL_MS = 500;
/** The interval of checks for tables with outdated statistics. */
const ANALYZE_MS = 5_000;

export type Maintenance = { stop(): Promise<void> };

export type MaintenanceDeps = {
  readonly log: EventLog;
  readonly db: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
  readonly logger: Logger;
  /** The id of this process. */
  readonly holder: string;
  /** Called with the shown builds at each poll: `name@version+build`, separated by spaces, in order. */
  readonly onShown?: (shown: string) => Promise<void>;
};

/**
 * Executes long and requested work beside the main loop: builds and rebuilds (one at a time), verifications, retries of
 * parked events, drops of retired builds, updates of planner statistics. The work is in tables; each piece is executed
 * by one process, and by another one if that dies.
 */
export const startMaintenance = (deps: MaintenanceDeps): Maintenance => {
  const { db, logger } = deps;
  const stopping = new AbortController();
  let longWork: Promise<void> | null = null;
  let analyzedAt = performance.now();

  const logErrors = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (stopping.signal.aborted || isLockedOut(error)) return;
      logger.warn({ err: error, part: "projections" }, `${what} was interrupted`);
    }
  };

  const poll = async (): Promise<void> => {
    const work = await findWork(db);
    await deps.onShown?.(work.shown ?? "");
    if (work.building || work.verifying) {
      longWork ??= logErrors("a build or a verification", () =>
        doLongWork(deps, stopping.signal, logErrors),
      ).finally(() => {
        longWork = null;
      });
    }
    // Failures are independent of each other.
    for (const asked of work.asked ? await loadAsked(db) : []) {
      await logErrors("a retry", () => retryParked(deps, asked));
    }
    if (work.retired) await logErrors("the drop of retired builds", () => dropRetired(db));
    if (performance.now() - analyzedAt < ANALYZE_MS) return;
    await logErrors("the update of planner statistics", () => analyzeGrown(db, deps.projections));
    analyzedAt = performance.now();
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await logErrors("the poll for work", poll);
      await sleep(POLL_MS, stopping.signal);
    }
    await longWork;
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
  if (!work) throw new Error("The aggregate returned no row");
  return work;
};

/** Executes builds, then verifications. A failed one is retried after all others. */
const doLongWork = async (
  deps: MaintenanceDeps,
  stopping: AbortSignal,
  logErrors: (what: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> => {
  const { db, holder, projections, logger } = deps;
  for (const { projection, build } of await loadBuilding(db, projections)) {
    if (stopping.aborted) return;
    const name = `projection:${schemaOf(projection, build)}`;
    const work = async (over: AbortSignal): Promise<void> => {
      // Read again: another process may have continued or finished the build.
      const building = await loadBuilding(db, [projection]);
      const one = building.find((candidate) => candidate.build === build);
      if (!one) return;
      await rebuild(deps, one, over);
      logger.info({ projection: projection.name, build }, "a build of a read model is shown");
    };
    await logErrors(`the build of ${projection.name}`, () =>
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
    await logErrors(`a verification of ${name}`, () => runOnceAsLeader(lead, stopping));
  }
};
