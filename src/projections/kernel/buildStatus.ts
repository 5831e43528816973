import { type Kysely, sql } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Projection } from "./projection.ts";
import { PROJECTOR_LEASE } from "./projector.ts";
import type { KernelTables } from "./tables.ts";

/** The interval of polls in milliseconds. */
export const POLL_MS = 100;
/** The maximum that a lag is counted to. */
const MAX_LAG = 10_000;

/** A build of a read model. */
export type BuildStatus = {
  readonly name: string;
  readonly version: number;
  readonly build: number;
  readonly state: "shown" | "building";
  readonly position: bigint | null;
  /** When its checkpoint was last moved. */
  readonly advancedAt: string;
  readonly parked: number;
  /** The number of events that are not folded yet, at most 10,000; null if the log was not given. */
  readonly lag: number | null;
};

/** Lists the builds of all projections by name, with their lag if the log is given. */
export const listBuilds = async (
  db: Kysely<KernelTables>,
  log: EventLog | null,
): Promise<readonly BuildStatus[]> => {
  const { rows } = await sql<Omit<BuildStatus, "lag">>`
    select c.name, c.version, c.build, c.state, c.position, c.advanced_at as "advancedAt",
      (select count(*)::integer from parked_events as p
       where p.skipped_at is null and p.consumer = c.name || '@' || c.version
         || case when c.state = 'shown' then '' else '+' || c.build end) as parked
    from projection_checkpoints as c where c.state <> 'retired'
    order by c.name, c.version, c.build`.execute(db);
  if (log === null) return rows.map((row) => ({ ...row, lag: null }));
  const head = await log.head();
  const lags = new Map<bigint | null, number>();
  for (const { position } of rows) {
    if (!lags.has(position)) lags.set(position, await lagOf(log, position, head));
  }
  return rows.map((row) => ({ ...row, lag: lags.get(row.position) ?? null }));
};

const lagOf = async (log: EventLog, after: bigint | null, head: bigint | null): Promise<number> => {
  if (head === null || (after !== null && after >= head)) return 0;
  let lag = 0;
  for await (const _ of log.readAll({ after, limit: MAX_LAG })) lag += 1;
  return lag;
};

/** Whether any process folds the projections at present. That process also executes requested operations. */
export const isLed = async (db: Kysely<KernelTables>): Promise<boolean> => {
  const row = await db
    .selectFrom("leaderships")
    .select("name")
    .where("name", "=", PROJECTOR_LEASE)
    .where("expires_at", ">", sql<string>`now()`)
    .executeTakeFirst();
  return row !== undefined;
};

/** Waits until the build or a later one is shown: true; or until there is none, or `over` is aborted: false. */
export const waitForBuild = async (
  db: Kysely<KernelTables>,
  { name, version, build }: Pick<Projection, "name" | "version"> & { readonly build: number },
  over: AbortSignal,
): Promise<boolean> => {
  while (!over.aborted) {
    const rows = await db
      .selectFrom("projection_checkpoints")
      .select("state")
      .where("name", "=", name)
      .where("version", "=", version)
      .where("build", ">=", build)
      .execute();
    if (rows.some(({ state }) => state === "shown")) return true;
    if (!rows.some(({ state }) => state === "building")) return false;
    await sleep(POLL_MS, over);
  }
  return false;
};
