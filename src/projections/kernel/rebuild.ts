import { type Kysely, sql } from "kysely";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import { analyze } from "./analyze.ts";
import {
  ADVANCED_CHANNEL,
  applyAround,
  FencedOffError,
  foldAround,
  type Progress,
} from "./applyBatch.ts";
import { loadSkipped, parkFor, takeOverParked } from "./parking.ts";
import { foldRange, READ_BATCH } from "./readLog.ts";
import { isLockedOut, lockBuilds, showBuild } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

type Deps = { readonly log: EventLog; readonly db: Kysely<KernelTables> };

/** The maximum of events that are folded in the swap, which blocks the shown build. */
const MAX_GAP = 2_000;
const TRY_AGAIN_MS = 100;

/**
 * Continues a build from its position and swaps it with the shown build when it has reached the head of the log: in
 * one transaction at the same position, so that readers never see older rows. Resolves after the swap. Rejects if the
 * log or the database is unavailable, another process builds it, or `over` is aborted; committed batches are kept.
 */
export const rebuild = async (deps: Deps, one: Progress, over: AbortSignal): Promise<void> => {
  const leaveOut = await loadSkipped(deps.db, one);
  const park = parkFor(false);
  const catchUp = async (): Promise<void> => {
    for (;;) {
      const head = await deps.log.head();
      if (head === null || (one.position !== null && one.position >= head)) return;
      const read = await foldRange(
        { ...deps, projection: one.projection, after: one.position, upTo: head, leaveOut },
        (batch) => applyAround(deps.db, one, batch, { park, isShown: false }),
        over,
      );
      if (read < READ_BATCH) return;
    }
  };
  await catchUp();
  await analyze(deps.db, one.projection, one.build);
  while (!(await swap(deps, one, leaveOut))) {
    await sleep(TRY_AGAIN_MS, over);
    over.throwIfAborted();
    await catchUp();
  }
};

/** Swaps the views. Resolves with false if the build is too far behind or a view is locked: try again. */
const swap = async (
  { log, db }: Deps,
  one: Progress,
  leaveOut: ReadonlySet<string>,
): Promise<boolean> => {
  try {
    return await db.transaction().execute(async (trx) => {
      const rows = await lockBuilds(trx, one.projection.name);
      const mine = rows.find(
        ({ version, build }) => version === one.projection.version && build === one.build,
      );
      if (mine?.state !== "building" || mine.position !== one.position) throw new FencedOffError();
      const shown = rows.find(({ state }) => state === "shown");
      const position = later(one.position, shown?.position ?? null);
      if (position !== null && position !== one.position) {
        const gap = await readGap(log, one, position);
        if (gap === null) return false;
        await foldAround(
          trx,
          one,
          gap.filter(({ id }) => !leaveOut.has(id)),
          parkFor(false),
        );
        await trx
          .updateTable("projection_checkpoints")
          .set({ position })
          .where("name", "=", one.projection.name)
          .where("version", "=", one.projection.version)
          .where("build", "=", one.build)
          .execute();
      }
      await showBuild(trx, one);
      await takeOverParked(trx, one);
      if (position !== null) {
        const payload = `${position} ${one.projection.name}`;
        await sql`select pg_notify(${ADVANCED_CHANNEL}, ${payload})`.execute(trx);
      }
      return true;
    });
  } catch (error) {
    if (isLockedOut(error)) return false;
    throw error;
  }
};

/** The events that a build handles up to a position; null if there are too many. */
const readGap = async (
  log: EventLog,
  { projection, position: after }: Progress,
  upTo: bigint,
): Promise<readonly RecordedEvent[] | null> => {
  const events: RecordedEvent[] = [];
  let read = 0;
  for await (const event of log.readAll({ after })) {
    if (event.position > upTo) return events;
    read += 1;
    if (read > MAX_GAP) return null;
    if (projection.handlers.has(event.type)) events.push(event);
  }
  return events;
};

const later = (one: bigint | null, other: bigint | null): bigint | null => {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
};
