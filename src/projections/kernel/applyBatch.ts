import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { isTransient, prepared } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { type Projection, schemaOf, type Target } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

/** Another process has moved the checkpoints on, or a build was swapped: the batch was rolled back by the fence. */
export class FencedOffError extends Error {
  constructor() {
    super("The checkpoints are not where this process left them");
    this.name = "FencedOffError";
  }
}

/** A build of a projection and the position that it has committed. */
export type Progress = {
  readonly projection: Projection;
  readonly build: number;
  position: bigint | null;
};

/** Events in the order of the log, and how far the log is read with them: beyond the last where none of the rest is handled. */
export type Batch = { readonly events: readonly RecordedEvent[]; readonly upTo: bigint };

/** The channel on which commits are told to other processes. Payload: `position name,name,…`. */
export const ADVANCED_CHANNEL = "projections_advanced";

type Trx = Kysely<KernelTables>;

/**
 * Folds a batch into every build: rows and checkpoints in one transaction, fenced by the checkpoints
 * that this process last wrote. Builds that refuse an event are answered in `poisoned`: nothing of the
 * batch is in them, and it is in all the others. Rejects with FencedOffError, with nothing written.
 */
export const applyBatch = async (
  db: Trx,
  progress: readonly Progress[],
  batch: Batch,
): Promise<{ poisoned: readonly Progress[] }> => {
  const poisoned = new Set<Progress>();
  try {
    await db.transaction().execute(async (trx) => {
      await advance(trx, progress, batch.upTo, true);
      if (batch.events.length > MANY) await commitSoon(trx);
      await foldIntoEach(trx, progress, batch);
    });
  } catch (error) {
    if (error instanceof FencedOffError || isTransient(error)) throw error;
    // One of them refuses an event: which one shows when each can be rolled back by itself.
    await db.transaction().execute(async (trx) => {
      poisoned.clear();
      for (const one of progress) {
        const isDone = await attempt(trx, async () => {
          await advance(trx, [one], batch.upTo);
          await foldInto(trx, one, pending(one, batch));
        });
        if (isDone !== null) poisoned.add(one);
      }
      await tell(trx, without(progress, poisoned), batch.upTo);
    });
  }
  for (const one of without(progress, poisoned)) moveOn(one, batch.upTo);
  return { poisoned: [...poisoned] };
};

/** Sets an event aside that a handler refuses. */
export type Park = (trx: Trx, one: Progress, event: RecordedEvent, error: unknown) => Promise<void>;

/**
 * Folds a batch into one build; events that it refuses are parked, the others are folded. The refused
 * ones are found by halves, so that one in a thousand costs ten tries and not a thousand.
 * Answers how many were parked.
 */
export const applyAround = async (
  db: Trx,
  one: Progress,
  batch: Batch,
  options: { readonly park: Park; readonly isShown: boolean },
): Promise<number> => {
  const parked = await db.transaction().execute(async (trx) => {
    if (!options.isShown) await commitSoon(trx);
    await advance(trx, [one], batch.upTo);
    const count = await foldAround(trx, one, pending(one, batch), options.park);
    if (options.isShown) await tell(trx, [one], batch.upTo);
    return count;
  });
  moveOn(one, batch.upTo);
  return parked;
};

/** Says that a transaction is alive in which nothing is to be folded for now: one that is silent is taken for dead. */
export const stayIn = async (trx: Trx): Promise<void> => {
  await sql`select 1`.execute(trx);
};

/** Folds events within a transaction of the caller's, without a checkpoint; parks those refused. Answers how many. */
export const foldAround = async (
  trx: Trx,
  one: Progress,
  events: readonly RecordedEvent[],
  park: Park,
): Promise<number> => {
  if (events.length === 0) return 0;
  const refusal = await attempt(trx, () => foldInto(trx, one, events));
  if (refusal === null) return 0;
  const [first] = events;
  if (first && events.length === 1) {
    await park(trx, one, first, refusal.error);
    return 1;
  }
  const half = events.length >> 1;
  const before = await foldAround(trx, one, events.slice(0, half), park);
  return before + (await foldAround(trx, one, events.slice(half), park));
};

/**
 * Has the transaction end before its end is on disk: what a crash takes is folded again from where the checkpoint is then.
 * For builds that nobody reads, and for so much at once that whoever reads is behind in any case.
 */
const commitSoon = async (trx: Trx): Promise<void> => {
  await sql`set local synchronous_commit = off`.execute(trx);
};

/** A batch with more events than this is much at once; others have their turn between two builds. */
const MANY = 256;

/**
 * Folds a batch into builds at once: what the rows of one come to is worked out while the database writes those of another.
 * Their statements go one after the other all the same: it is one connection. Rejects with what failed first, when all have ended.
 */
const foldIntoEach = async (
  trx: Trx,
  progress: readonly Progress[],
  batch: Batch,
): Promise<void> => {
  const failures: unknown[] = [];
  const folding: Promise<void>[] = [];
  for (const one of progress) {
    if (failures.length > 0) break;
    const fold = foldInto(trx, one, pending(one, batch));
    folding.push(fold.catch((error: unknown) => void failures.push(error)));
    if (batch.events.length > MANY) await nextTurn();
  }
  await Promise.all(folding);
  if (failures.length > 0) throw failures[0];
};

/** Folds events that a build handles, in order, within a transaction. Rejects with whatever a handler throws. */
export const foldInto = async (
  trx: Trx,
  { projection, build }: Progress,
  events: readonly RecordedEvent[],
): Promise<void> => {
  if (events.length === 0) return;
  const schema = schemaOf(projection, build);
  const into: Target = { db: trx.withSchema(schema) as unknown as Kysely<unknown>, schema };
  if (projection.foldBatch) {
    await projection.foldBatch(into, events);
    return;
  }
  for (const event of events) await projection.handlers.get(event.type)?.(into, event);
};

/** Does something that can be undone by itself; answers what it failed with. Passing trouble is thrown on. */
const attempt = async (
  trx: Trx,
  work: () => Promise<void>,
): Promise<{ readonly error: unknown } | null> => {
  await sql`savepoint attempt`.execute(trx);
  try {
    await work();
    await sql`release savepoint attempt`.execute(trx);
    return null;
  } catch (error) {
    if (error instanceof FencedOffError || isTransient(error)) throw error;
    await sql`rollback to savepoint attempt`.execute(trx);
    await sql`release savepoint attempt`.execute(trx);
    return { error };
  }
};

/**
 * Moves the checkpoints on, but only from where this process left them: that is the fence. `tells`: the others
 * hear of it once it is committed.
 */
const advance = async (
  trx: Trx,
  progress: readonly Progress[],
  position: bigint,
  tells = false,
): Promise<void> => {
  const behind = progress.filter(({ position: done }) => done === null || done < position);
  if (behind.length === 0) return;
  const said = tells ? sql`, pg_notify(${ADVANCED_CHANNEL}, ${word(progress, position)})` : sql``;
  const { rows } = await sql<{ moved: number }>`${prepared}
    with moved as (
      update projection_checkpoints as c
      set position = ${position.toString()}::bigint, advanced_at = now()
      from unnest(
        ${behind.map(({ projection }) => projection.name)}::text[],
        ${behind.map(({ projection }) => projection.version)}::integer[],
        ${behind.map(({ build }) => build)}::integer[],
        ${behind.map(({ position: done }) => done?.toString() ?? null)}::bigint[]
      ) as e (name, version, build, position)
      where c.name = e.name and c.version = e.version and c.build = e.build
        and c.state <> 'retired'
        and c.position is not distinct from e.position
      returning 1
    )
    select (select count(*) from moved)::integer as moved${said}`.execute(trx);
  if (rows[0]?.moved !== behind.length) throw new FencedOffError();
};

const tell = async (trx: Trx, progress: readonly Progress[], position: bigint): Promise<void> => {
  if (progress.length === 0) return;
  await sql`select pg_notify(${ADVANCED_CHANNEL}, ${word(progress, position)})`.execute(trx);
};

/** What is told of a commit. */
const word = (progress: readonly Progress[], position: bigint): string =>
  `${position} ${progress.map(({ projection }) => projection.name).join(",")}`;

/** What of a batch a build handles and has not folded yet. */
const pending = ({ projection, position }: Progress, { events }: Batch): RecordedEvent[] =>
  events.filter(
    (event) =>
      (position === null || event.position > position) && projection.handlers.has(event.type),
  );

const moveOn = (one: Progress, position: bigint): void => {
  if (one.position === null || one.position < position) one.position = position;
};

const without = (progress: readonly Progress[], some: ReadonlySet<Progress>): Progress[] =>
  progress.filter((one) => !some.has(one));
