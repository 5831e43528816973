import type { Kysely } from "kysely";
import type { Logger } from "pino";
import { gather } from "../../platform/eventLog/gather.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { whileLeading } from "../../platform/leading.ts";
import { applyBatch, type Progress } from "./applyBatch.ts";
import type { Positions } from "./positions.ts";
import { type Projection, schemaOf } from "./projection.ts";
import { type CheckpointTables, shownVersion, showProjection } from "./schemas.ts";

const LEADERSHIP = "projector";
const BATCH = 512;

export type Projector = { stop(): Promise<void> };

/**
 * Folds the log into every projection: one loop over one unfiltered `$all` subscription, in the
 * process that holds the projector's lease. Starts at once, takes over when the leader dies, and
 * begins again from the checkpoints whenever the log or the database was away.
 */
export const startProjector = (deps: {
  log: EventLog;
  db: Kysely<CheckpointTables>;
  projections: readonly Projection[];
  positions: Positions;
  logger: Logger;
  holder: string;
}): Projector => {
  const { log, db, projections, positions, logger, holder } = deps;

  const loadProgress = async (): Promise<Progress[]> => {
    const rows = await db.selectFrom("projection_checkpoints").selectAll().execute();
    return projections.map((projection) => {
      const row = rows.find(
        (one) => one.name === projection.name && one.version === projection.version,
      );
      return { projection, position: row?.position ?? null };
    });
  };

  /** Projections whose new version is still being built beside the one that is shown. */
  const findHidden = async (): Promise<Set<Projection>> => {
    const hidden = new Set<Projection>();
    for (const projection of projections) {
      const shown = await shownVersion(db, projection);
      if (shown !== schemaOf(projection)) hidden.add(projection);
    }
    return hidden;
  };

  const foldUntil = async (over: AbortSignal): Promise<void> => {
    const progress = await loadProgress();
    const hidden = await findHidden();
    const head = hidden.size > 0 ? await log.head() : null;
    const showWhatCaughtUp = async (): Promise<void> => {
      for (const { projection, position } of progress) {
        if (!hidden.has(projection)) continue;
        if (head !== null && (position === null || position < head)) continue;
        await showProjection(db, projection);
        hidden.delete(projection);
      }
    };
    // One may have caught up under a leader that died before it could be shown.
    await showWhatCaughtUp();
    for (const { projection, position } of progress) {
      if (position !== null) positions.advance(projection.name, position);
    }
    const gathered = gather(log.subscribeAll({ after: leastOf(progress) }));
    const close = () => void gathered.close();
    over.addEventListener("abort", close, { once: true });
    // Over before there was anything to close.
    if (over.aborted) close();
    try {
      for (;;) {
        const batch = await gathered.take(BATCH);
        const last = batch?.at(-1);
        if (!batch || !last || over.aborted) return;
        const { parked } = await applyBatch(db, progress, batch);
        if (parked > 0) logger.error({ parked }, "events were parked: see parked_events");
        await showWhatCaughtUp();
        for (const { projection } of progress) positions.advance(projection.name, last.position);
      }
    } finally {
      over.removeEventListener("abort", close);
      await gathered.close();
    }
  };

  return whileLeading({ name: LEADERSHIP, db, holder, logger, work: foldUntil });
};

const leastOf = (progress: readonly Progress[]): bigint | null => {
  let least: bigint | null | undefined;
  for (const { position } of progress) {
    if (position === null) return null;
    if (least === undefined || least === null || position < least) least = position;
  }
  return least ?? null;
};
