import type { Kysely } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Positions } from "./positions.ts";
import type { KernelTables } from "./tables.ts";

/** Read models may be served this number of events behind the log, as after a restart under load. */
const MAX_LAG = 1_000;
/** The limits of the estimated rest, in seconds. */
const MIN_REST_S = 1;
const MAX_REST_S = 60;

/** How far the read models are behind the log of the start. */
export type CatchUp = {
  /** Null once every read model has passed the events that were in the log at the start. */
  progress(): { readonly percent: number; readonly restSeconds: number } | null;
};

export const caughtUp: CatchUp = { progress: () => null };

/**
 * Follows the read models to the end of the log if they are far behind at the start, as in a new database on an older
 * log. Until then a query finds too little, so that "there is no test" may be wrong.
 */
export const followCatchUp = async (deps: {
  readonly db: Kysely<KernelTables>;
  readonly log: Pick<EventLog, "head" | "readAll">;
  readonly positions: Pick<Positions, "lowest">;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}): Promise<CatchUp> => {
  const { db, log, positions, now } = deps;
  const shown = await db
    .selectFrom("projection_checkpoints")
    .select(["name", "position"])
    .where("state", "=", "shown")
    .execute();
  const head = await log.head();
  if (head === null || shown.length === 0) return caughtUp;
  const start = shown.reduce<bigint | null>((least, { position }) => lesser(least, position), head);
  if ((await countAfter(log, start)) <= MAX_LAG) return caughtUp;
  return tracked({ head, start: start ?? 0n, startedAt: now(), now }, () =>
    positions.lowest(shown.map(({ name }) => name)),
  );
};

const tracked = (
  course: { head: bigint; start: bigint; startedAt: number; now: () => number },
  lowest: () => bigint | null,
): CatchUp => {
  const { head, start, startedAt, now } = course;
  let isOver = false;
  return {
    progress: () => {
      if (isOver) return null;
      const reached = lowest() ?? start;
      if (reached >= head) {
        isOver = true;
        return null;
      }
      const done = Number(reached - start);
      const rest = (Number(head - reached) / Math.max(1, done)) * ((now() - startedAt) / 1_000);
      const restSeconds = Math.ceil(Math.min(MAX_REST_S, Math.max(MIN_REST_S, rest)));
      return { percent: Number((reached * 100n) / head), restSeconds };
    },
  };
};

const lesser = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || other === null ? null : one < other ? one : other;

const countAfter = async (
  log: Pick<EventLog, "readAll">,
  after: bigint | null,
): Promise<number> => {
  let count = 0;
  for await (const _ of log.readAll({ after, limit: MAX_LAG + 1 })) count += 1;
  return count;
};
