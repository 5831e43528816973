import { type Kysely, sql, type UpdateObject } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import { sleep } from "../../platform/sleep.ts";
import { findParked, listParked, type Parked } from "./parking.ts";
import type { Projection } from "./projection.ts";
import { PROJECTOR_LEASE } from "./projector.ts";
import { changeLeftOut, createRebuild } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";
import type { Verification } from "./verify.ts";

const LOOK_MS = 100;
/** More events than this behind are not counted. */
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
  /** How many events of the log it has not folded, at most 10,000; null where the log was not asked. */
  readonly lag: number | null;
};

export type ProjectionOperations = ReturnType<typeof projectionOperations>;

/**
 * What operators do with read models. What takes long is asked for in tables and done by a process that
 * folds projections, whichever that is; these functions ask and tell, from any process.
 */
export const projectionOperations = (deps: {
  readonly db: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
}) => {
  const { db, projections } = deps;
  const named = (name: string) => projections.find((projection) => projection.name === name);

  /** Changes a parked event; false when it is gone. `isOther`: what its version leaves out is other than before. */
  const change = (
    { id, consumer }: Parked,
    values: UpdateObject<KernelTables, "parked_events">,
    isOther: boolean,
  ): Promise<boolean> => {
    const write = async (trx: Kysely<KernelTables>): Promise<boolean> => {
      const query = trx.updateTable("parked_events").set(values).where("id", "=", id);
      return (await query.returning("id").executeTakeFirst()) !== undefined;
    };
    const of = projections.find(({ name, version }) => consumer === `${name}@${version}`);
    return of && isOther ? changeLeftOut(db, of, write) : write(db);
  };

  return {
    names: projections.map(({ name }) => name),

    /** The builds of all projections, by name; with their lag where the log is given. */
    listBuilds: async (log: EventLog | null): Promise<readonly BuildStatus[]> => {
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
    },

    /** Whether a process folds the projections at this moment: it also does what is asked for. */
    isLed: async (): Promise<boolean> => {
      const row = await db
        .selectFrom("leaderships")
        .select("name")
        .where("name", "=", PROJECTOR_LEASE)
        .where("expires_at", ">", sql<string>`now()`)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Asks for a projection to be built anew; null when there is none of that name. A rebuild under way is answered as it is. */
    askRebuild: async (
      name: string,
    ): Promise<{ readonly build: number; readonly isNew: boolean } | null> => {
      const projection = named(name);
      return projection ? createRebuild(db, projection) : null;
    },

    /** Resolves true when a build is shown, or one that was begun in its place; false when it is gone. Waits until then, or until `over`. */
    waitForBuild: async (name: string, build: number, over: AbortSignal): Promise<boolean> => {
      while (!over.aborted) {
        const rows = await db
          .selectFrom("projection_checkpoints")
          .select("state")
          .where("name", "=", name)
          .where("version", "=", named(name)?.version ?? 0)
          .where("build", ">=", build)
          .execute();
        if (rows.some(({ state }) => state === "shown")) return true;
        if (!rows.some(({ state }) => state === "building")) return false;
        await sleep(LOOK_MS, over);
      }
      return false;
    },

    /** Asks for a projection to be compared with the log; the id to wait with, null when there is none of that name. */
    askVerification: async (name: string): Promise<string | null> => {
      const projection = named(name);
      if (!projection) return null;
      const id = newId();
      const { version } = projection;
      await db
        .deleteFrom("projection_verifications")
        .where("finished_at", "<", sql<string>`now() - interval '7 days'`)
        .execute();
      await db
        .insertInto("projection_verifications")
        .values({ id, name, version, asked_at: sql`now()`, finished_at: null, result: null })
        .execute();
      return id;
    },

    /** Whether a verification of that projection was asked for under an id, in the last days. */
    isAsked: async (name: string, id: string): Promise<boolean> => {
      const query = db.selectFrom("projection_verifications").select("id").where("id", "=", id);
      return (await query.where("name", "=", name).executeTakeFirst()) !== undefined;
    },

    /** What a verification came to; waits until then. null when `over` comes first. */
    waitForVerification: async (id: string, over: AbortSignal): Promise<Verification | null> => {
      while (!over.aborted) {
        const row = await db
          .selectFrom("projection_verifications")
          .select(["finished_at", "result"])
          .where("id", "=", id)
          .executeTakeFirst();
        if (row?.finished_at) return row.result as Verification;
        await sleep(LOOK_MS, over);
      }
      return null;
    },

    listParked: (options: { readonly withSkipped?: boolean } = {}) => listParked(db, options),

    /** Asks for a parked event to be folded again, skipped or not. */
    askRetry: async (id: string): Promise<"asked" | "unknown" | "of_a_reactor" | "of_a_build"> => {
      const parked = await findParked(db, id);
      if (!parked) return "unknown";
      if (parked.stream === null) return "of_a_reactor";
      // A build that is not shown yet: what it refuses is what is parked once it is.
      if (parked.consumer.includes("+")) return "of_a_build";
      const values = { retry_asked_at: sql<string>`now()`, skipped_at: null, skip_reason: null };
      const isLeftIn = parked.skippedAt !== null;
      return (await change(parked, values, isLeftIn)) ? "asked" : "unknown";
    },

    /** What a retry came to: null once the event was folded, else the event as it is parked now; undefined when `over` comes first. */
    waitForRetry: async (id: string, over: AbortSignal): Promise<Parked | null | undefined> => {
      while (!over.aborted) {
        const parked = await findParked(db, id);
        if (!parked?.retryAskedAt) return parked;
        await sleep(LOOK_MS, over);
      }
      return undefined;
    },

    /** Leaves a parked event out for good, with the reason; rebuilds of the version leave it out too. False when there is none of that id. */
    skip: async (id: string, reason: string): Promise<boolean> => {
      const parked = await findParked(db, id);
      if (!parked) return false;
      const skipped = { skipped_at: sql<string>`now()`, skip_reason: reason };
      return change(parked, { ...skipped, retry_asked_at: null }, parked.skippedAt === null);
    },
  };
};

const lagOf = async (log: EventLog, after: bigint | null, head: bigint | null): Promise<number> => {
  if (head === null || (after !== null && after >= head)) return 0;
  let lag = 0;
  for await (const _ of log.readAll({ after, limit: MAX_LAG })) lag += 1;
  return lag;
};
