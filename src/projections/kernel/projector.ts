import type { Kysely } from "kysely";
import { bufferSubscription, type Linger } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { runWhileLeader } from "../../platform/leases.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import {
  applyAround,
  applyBatch,
  type Batch,
  FencedOffError,
  type Progress,
} from "./applyBatch.ts";
import { startMaintenance } from "./maintenance.ts";
import { consumerOf, parkFor } from "./parking.ts";
import type { Positions } from "./positions.ts";
import type { Projection } from "./projection.ts";
import { loadShown } from "./schemas.ts";
import { createStandby } from "./standby.ts";
import type { KernelTables } from "./tables.ts";
import { foldTraced } from "./tracedBatch.ts";

/** The lease of the process that folds what is shown. */
export const PROJECTOR_LEASE = "projector";
const BATCH = 2_048;
/** So long a projection that refused an event must have refused nothing before it rejoins the others. */
const QUIET_MS = 1_000;
const LOOK_MS = 100;
/**
 * While more events than that come in a millisecond, they gather for a moment between two commits: a commit of many
 * costs little more than one of a few, and there would be a hundred a second. What is behind has no need to gather.
 */
const BUSY_PER_MS = 0.75;
const GATHER_MS = 20;
/** Fewer may come together by chance, and are not held up for it. */
const FEW = 12;
const MANY = 512;
/**
 * What nobody waits for is folded with what comes within so long: the ends of some tests, what their run makes of
 * them, and the beginnings of the next are one commit. More than that at once is no lull.
 */
const LULL = { ms: 1_000, enough: 128 };

export type Projector = { stop(): Promise<void> };

/**
 * Folds the log into every projection: one loop over one unfiltered `$all` subscription, in the
 * process that holds the projector's lease. Starts at once, takes over when the leader dies, and
 * begins again from the checkpoints whenever the log or the database was away. A projection that
 * refuses an event goes on in a loop of its own until it is well again; new builds have one from the
 * start (`builder.ts`).
 */
export const startProjector = (deps: {
  log: EventLog;
  db: Kysely<KernelTables>;
  /** For builds, whose statements may take long; `db` by default. */
  patient?: Kysely<KernelTables>;
  projections: readonly Projection[];
  positions: Positions;
  logger: Logger;
  holder: string;
  /** Given: what is folded is part of the traces of those who recorded it. */
  traced?: Traced | undefined;
  /** Whether an event may be left for a moment, until more have come; none may unless it is said. */
  mayWait?: Linger["mayWait"];
}): Projector => {
  const { log, db, projections, positions, logger, holder, traced } = deps;
  const lull = deps.mayWait && { ...LULL, mayWait: deps.mayWait };
  let folded = "";
  /** Ends the round of the one loop: the next begins with what is shown then. */
  let beginAgain: () => void = () => undefined;
  /** Ends this process's lead; null while it has none. */
  let giveUpLead: (() => void) | null = null;
  /** Something is shown that this process does not know: of another release. */
  let isOther = false;
  const standby = createStandby({ db, projections, holder });
  const known = new Set(projections.map(({ name, version }) => `${name}@${version}`));
  const mayLead = async (): Promise<boolean> => !isOther || !(await standby.isOutdone());

  /** Calls `fold` with batches of the log after a position, until it says true or `over` is aborted. */
  const foldFrom = async (
    after: bigint | null,
    fold: (batch: Batch) => Promise<boolean>,
    over: AbortSignal,
  ): Promise<void> => {
    const gathered = bufferSubscription(log.subscribeAll({ after }));
    const close = () => void gathered.close();
    over.addEventListener("abort", close, { once: true });
    // Over before there was anything to close.
    if (over.aborted) close();
    try {
      for (let takenAt = performance.now(); ; ) {
        const events = await gathered.take(BATCH, lull);
        const last: RecordedEvent | undefined = events?.at(-1);
        if (!events || !last || over.aborted) return;
        const tookMs = performance.now() - takenAt;
        takenAt = performance.now();
        if (await fold({ events, upTo: last.position })) return;
        const isBusy = events.length >= FEW && events.length > tookMs * BUSY_PER_MS;
        if (isBusy && events.length < MANY) await sleep(GATHER_MS, over);
      }
    } finally {
      over.removeEventListener("abort", close);
      await gathered.close();
    }
  };

  const note = (progress: readonly Progress[]): void => {
    for (const { projection, position } of progress) {
      if (position !== null) positions.advance(projection.name, position);
    }
  };

  /** A projection that refuses events, alone: parks them and goes on, until it was well for a while. */
  const foldAlone = async (one: Progress, over: AbortSignal): Promise<void> => {
    const park = parkFor(true);
    let refusedAt = performance.now();
    const fold = async (batch: Batch): Promise<boolean> => {
      const options = { park, isShown: true };
      const parked = await foldTraced(traced, `fold ${one.projection.name}`, batch, () =>
        applyAround(db, one, batch, options),
      );
      note([one]);
      if (parked > 0) {
        refusedAt = performance.now();
        const { name } = one.projection;
        logger.error({ parked, projection: name }, "events were parked: see runledger projections");
      }
      return batch.events.length < BATCH && performance.now() - refusedAt >= QUIET_MS;
    };
    try {
      await foldFrom(one.position, fold, over);
    } catch (error) {
      if (over.aborted || error instanceof FencedOffError) return;
      logger.warn({ err: error, projection: one.projection.name }, "interrupted");
    }
  };

  const foldUntil = async (over: AbortSignal): Promise<void> => {
    const ending = new AbortController();
    giveUpLead = () => ending.abort();
    const until = AbortSignal.any([over, ending.signal]);
    const alone = new Map<string, Promise<void>>();

    /** One round of the one loop: with what is shown now, but for what is alone. */
    const foldTogether = async (): Promise<void> => {
      const changing = new AbortController();
      beginAgain = () => changing.abort();
      const roundOver = AbortSignal.any([until, changing.signal]);
      const shown = await loadShown(db, projections);
      folded = shown.map(keyOf).join(" ");
      note(shown);
      let progress = shown.filter((one) => !alone.has(keyOf(one)));
      if (progress.length === 0) return sleep(LOOK_MS, roundOver);
      const fold = async (batch: Batch): Promise<boolean> => {
        const { poisoned } = await foldTraced(traced, "fold read models", batch, () =>
          applyBatch(db, progress, batch),
        );
        progress = progress.filter((one) => !poisoned.includes(one));
        note(progress);
        for (const one of poisoned) {
          const done = foldAlone(one, until).then(() => {
            alone.delete(keyOf(one));
            beginAgain();
          });
          alone.set(keyOf(one), done);
        }
        return progress.length === 0;
      };
      try {
        await foldFrom(leastOf(progress), fold, roundOver);
      } catch (error) {
        // A swap has moved no checkpoint of ours; another leader has.
        if (!(error instanceof FencedOffError) || (await isLedElsewhere(progress))) throw error;
      }
    };

    try {
      while (!until.aborted) await foldTogether();
    } finally {
      giveUpLead = null;
      ending.abort();
      await Promise.all(alone.values());
    }
  };

  const isLedElsewhere = async (progress: readonly Progress[]): Promise<boolean> => {
    const shown = await loadShown(db, projections);
    const rows = new Map(shown.map((row) => [keyOf(row), row.position]));
    const isMoved = (one: Progress) =>
      rows.has(keyOf(one)) && rows.get(keyOf(one)) !== one.position;
    const isSwapped = (one: Progress) => !rows.has(keyOf(one));
    return progress.some(isMoved) || !progress.some(isSwapped);
  };

  const builder = startMaintenance({
    log,
    db: deps.patient ?? db,
    projections,
    logger,
    holder,
    onShown: async (shown) => {
      const keys = shown.split(" ").filter((key) => key !== "");
      const ours = keys.filter((key) => known.has(key.split("+")[0] ?? ""));
      if (ours.sort().join(" ") !== folded.split(" ").sort().join(" ")) beginAgain();
      isOther = ours.length < keys.length;
      if (giveUpLead === null) await standby.announce();
      else if (!(await mayLead())) giveUpLead?.();
    },
  });
  const leading = runWhileLeader({
    name: PROJECTOR_LEASE,
    db,
    holder,
    logger,
    work: foldUntil,
    mayLead,
  });
  return {
    stop: async () => {
      await Promise.all([builder.stop(), leading.stop()]);
    },
  };
};

const keyOf = (one: Progress): string => consumerOf(one, false);

const leastOf = (progress: readonly Progress[]): bigint | null => {
  let least: bigint | null | undefined;
  for (const { position } of progress) {
    if (position === null) return null;
    if (least === undefined || least === null || position < least) least = position;
  }
  return least ?? null;
};
