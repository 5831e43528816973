import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { isTransient, prepared } from "../../platform/database/database.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { type Projection, schemaOf, type Target } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

/** Another process moved the checkpoints, or a build was swapped: the batch was rolled back. */
export class FencedOffError extends Error {
  constructor() {
    super("The checkpoints were moved by another process");
    this.name = "FencedOffError";
  }
}

/** A build of a projection and its committed position. */
export type Progress = {
  readonly projection: Projection;
  readonly build: number;
  position: bigint | null;
};

/** Events in log order. `upTo`: the position up to which the log was read; it may be after the last event. */
export type Batch = { readonly events: readonly RecordedEvent[]; readonly upTo: bigint };

/** The NOTIFY channel of commits. Payload: `position name,name,…`. */
export const ADVANCED_CHANNEL = "projections_advanced";

type Trx = Kysely<KernelTables>;

/**
 * Folds a batch into all builds: rows and checkpoints in one transaction, fenced by the checkpoints that this
 * process wrote last. `poisoned` are the builds that refused an event: they contain nothing of the batch, the
 * others all of it. Rejects with FencedOffError if the fence fails; then nothing was written.
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
      if (batch.events.length > LARGE_BATCH) await commitAsynchronously(trx);
      await foldIntoEach(trx, progress, batch);
    });
  } catch (error) {
    if (error instanceof FencedOffError || isTransient(error)) throw error;
    // A build refused an event: find it with a savepoint per build.
    await db.transaction().execute(async (trx) => {
      poisoned.clear();
      for (const one of progress) {
        const isDone = await attempt(trx, async () => {
          await advance(trx, [one], batch.upTo);
          await foldInto(trx, one, pending(one, batch));
        });
        if (isDone !== null) poisoned.add(one);
      }
      await notify(trx, without(progress, poisoned), batch.upTo);
    });
  }
  for (const one of without(progress, poisoned)) setPosition(one, batch.upTo);
  return { poisoned: [...poisoned] };
};

/** Parks an event that a handler refused. */
export type Park = (trx: Trx, one: Progress, event: RecordedEvent, error: unknown) => Promise<void>;

/**
 * Folds a batch into one build and parks the events that it refuses. They are found by bisection: one in a
 * thousand costs ten attempts. Resolves with the number of parked events.
 */
export const applyAround = async (
  db: Trx,
  one: Progress,
  batch: Batch,
  options: { readonly park: Park; readonly isShown: boolean },
): Promise<number> => {
  const parked = await db.transaction().execute(async (trx) => {
    if (!options.isShown) await commitAsynchronously(trx);
    await advance(trx, [one], batch.upTo);
    const count = await foldAround(trx, one, pending(one, batch), options.park);
    if (options.isShown) await notify(trx, [one], batch.upTo);
    return count;
  });
  setPosition(one, batch.upTo);
  return parked;
};

/** Keeps a transaction without statements alive: idle transactions are ended. */
export const keepAlive = async (trx: Trx): Promise<void> => {
  await sql`select 1`.execute(trx);
};

/** Folds events in the caller's transaction without a checkpoint, and parks the refused ones. Resolves with their number. */
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
 * Commits without a wait for the disk: after a crash the lost batches are folded again from the checkpoint. For builds
 * without readers, and for large batches.
 */
const commitAsynchronously = async (trx: Trx): Promise<void> => {
  await sql`set local synchronous_commit = off`.execute(trx);
};

/** The size of a large batch. The event loop gets a turn between its builds. */
const LARGE_BATCH = 256;

/**
 * Folds a batch into builds concurrently: the rows of one build are computed while the database writes those of another.
 * Statements remain sequential on the one connection. Rejects with the first error after all builds have ended.
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
    if (batch.events.length > LARGE_BATCH) await nextTurn();
  }
  await Promise.all(folding);
  if (failures.length > 0) throw failures[0];
};

/** Folds events into a build in order. Rejects with the error of a handler. */
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

/** Runs work in a savepoint. Resolves with its error, or null. Transient errors are thrown. */
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
 * Moves the checkpoints, but only from the positions that this process wrote last: the fence. `notifies`: other
 * processes are notified after the commit.
 */
const advance = async (
  trx: Trx,
  progress: readonly Progress[],
  position: bigint,
  notifies = false,
): Promise<void> => {
  const behind = progress.filter(({ position: done }) => done === null || done < position);
  if (behind.length === 0) return;
  const notification = notifies
    ? sql`, pg_notify(${ADVANCED_CHANNEL}, ${payload(progress, position)})`
    : sql``;
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
    select (select count(*) from moved)::integer as moved${notification}`.execute(trx);
  if (rows[0]?.moved !== behind.length) throw new FencedOffError();
};

const notify = async (trx: Trx, progress: readonly Progress[], position: bigint): Promise<void> => {
  if (progress.length === 0) return;
  await sql`select pg_notify(${ADVANCED_CHANNEL}, ${payload(progress, position)})`.execute(trx);
};

const payload = (progress: readonly Progress[], position: bigint): string =>
  `${position} ${progress.map(({ projection }) => projection.name).join(",")}`;

/** The events of a batch that a build handles and has not folded yet. */
const pending = ({ projection, position }: Progress, { events }: Batch): RecordedEvent[] =>
  events.filter(
    (event) =>
      (position === null || event.position > position) && projection.handlers.has(event.type),
  );

const setPosition = (one: Progress, position: bigint): void => {
  if (one.position === null || one.position < position) one.position = position;
};

const without = (progress: readonly Progress[], some: ReadonlySet<Progress>): Progress[] =>
  progress.filter((one) => !some.has(one));
