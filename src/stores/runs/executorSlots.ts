import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";

/** Seconds without a heartbeat after which an executor counts as dead. Heartbeats are sent every 2 s. */
export const EXECUTOR_DEAD_AFTER_SECONDS = 10;

/** The live executors and their numbers of slots. */
export type ExecutorSlots = {
  /** Says that a worker lives, with how many slots. */
  heartbeat(worker: string, slots: number): Promise<void>;
  remove(worker: string): Promise<void>;
  /** Deletes every worker but this one: in a deployment of one process the others are its dead predecessors. */
  removeOthers(worker: string): Promise<void>;
  /** Deletes executors that have been dead for an hour. */
  forgetDead(): Promise<void>;
  /** The slots of all living executors together. */
  countLive(): Promise<number>;
};

/** The table of live executors. The database's clock decides which ones are alive. */
export const executorSlots = (db: Database["db"]): ExecutorSlots => ({
  heartbeat: async (worker, slots) => {
    await db
      .insertInto("executor_slots")
      .values({ worker, slots, seen_at: sql`now()` })
      .onConflict((conflict) =>
        conflict.column("worker").doUpdateSet({ slots, seen_at: sql`now()` }),
      )
      .execute();
  },
  remove: async (worker) => {
    await db.deleteFrom("executor_slots").where("worker", "=", worker).execute();
  },
  removeOthers: async (worker) => {
    await db.deleteFrom("executor_slots").where("worker", "!=", worker).execute();
  },
  forgetDead: async () => {
    await sql`delete from executor_slots where seen_at < now() - interval '1 hour'`.execute(db);
  },
  countLive: async () => {
    const { rows } = await sql<{ slots: number }>`
      select coalesce(sum(slots), 0)::integer as slots from executor_slots
      where seen_at > now() - make_interval(secs => ${EXECUTOR_DEAD_AFTER_SECONDS})`.execute(db);
    return rows[0]?.slots ?? 0;
  },
});
