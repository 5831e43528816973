import type { Kysely } from "kysely";
import type { Linger } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
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
import { foldBatches, MAX_BATCH } from "./logBatches.ts";
import { startMaintenance } from "./maintenance.ts";
import { consumerOf, parkFor } from "./parking.ts";
import type { Positions } from "./positions.ts";
import type { Projection } from "./projection.ts";
import { loadShown } from "./schemas.ts";
import { createStandby, type Standby } from "./standby.ts";
import type { KernelTables } from "./tables.ts";
import { foldTraced } from "./tracedBatch.ts";

/** The lease of the process that folds the shown builds. */
export const PROJECTOR_LEASE = "projector";
/** A projection that parked an event rejoins the main loop after this time without another one. */
const QUIET_MS = 1_000;
const LOOK_MS = 100;
/** The limits for deferrable events: with them, the end of some tests and the start of the next are one commit. */
const LINGER = { ms: 1_000, enough: 128 };

export type Projector = { stop(): Promise<void> };

type Deps = {
  readonly log: EventLog;
  readonly db: Kysely<KernelTables>;
  /** For builds, whose statements may take long; `db` by default. */
  readonly patient?: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
  readonly positions: Positions;
  readonly logger: Logger;
  /** The id of this process. */
  readonly holder: string;
  /** If given, folding is part of the traces of the events. */
  readonly traced?: Traced | undefined;
  /** Whether an event may wait for later ones; by default none may. */
  readonly mayWait?: Linger["mayWait"];
};

type State = Deps & {
  readonly linger: Linger | undefined;
  readonly standby: Standby;
  /** `name@version` of the projections of this release. */
  readonly known: ReadonlySet<string>;
  /** The builds that the main loop folds. */
  folded: readonly string[];
  /** Restarts the main loop with the builds that are shown then. */
  restart: () => void;
  /** Ends the lead of this process; null while it has none. */
  resign: (() => void) | null;
  /** A build of another release is shown. */
  isOtherShown: boolean;
};

/**
 * Folds the log into all projections: one loop over one unfiltered `$all` subscription, in the process that
 * holds the projector's lease. It takes over when the leader dies, and restarts from the checkpoints after
 * an outage of the log or the database. A projection that refuses an event continues in a loop of its own
 * until it has recovered; new builds are folded apart (`maintenance.ts`).
 */
export const startProjector = (deps: Deps): Projector => {
  const { db, projections, logger, holder } = deps;
  const state: State = {
    ...deps,
    linger: deps.mayWait && { ...LINGER, mayWait: deps.mayWait },
    standby: createStandby({ db, projections, holder }),
    known: new Set(projections.map(({ name, version }) => `${name}@${version}`)),
    folded: [],
    restart: () => undefined,
    resign: null,
    isOtherShown: false,
  };
  const maintenance = startMaintenance({
    log: deps.log,
    db: deps.patient ?? db,
    projections,
    logger,
    holder,
    onShown: (shown) => handleShown(state, shown),
  });
  const leading = runWhileLeader({
    name: PROJECTOR_LEASE,
    db,
    holder,
    logger,
    work: (over) => foldWhileLeading(state, over),
    mayLead: () => mayLead(state),
  });
  return {
    stop: async () => {
      await Promise.all([maintenance.stop(), leading.stop()]);
    },
  };
};

const mayLead = async ({ isOtherShown, standby }: State): Promise<boolean> =>
  !isOtherShown || !(await standby.hasBetterCandidate());

/** Restarts the main loop if other builds are shown, and resigns if another process knows more of them. */
const handleShown = async (state: State, shown: string): Promise<void> => {
  const keys = shown.split(" ").filter((key) => key !== "");
  const ours = keys.filter((key) => state.known.has(key.split("+")[0] ?? ""));
  if (ours.sort().join(" ") !== [...state.folded].sort().join(" ")) state.restart();
  state.isOtherShown = ours.length < keys.length;
  if (state.resign === null) await state.standby.announce();
  else if (!(await mayLead(state))) state.resign?.();
};

const foldWhileLeading = async (state: State, over: AbortSignal): Promise<void> => {
  const resigning = new AbortController();
  state.resign = () => resigning.abort();
  const until = AbortSignal.any([over, resigning.signal]);
  /** The projections that recover in loops of their own. */
  const recovering = new Map<string, Promise<void>>();
  try {
    while (!until.aborted) await foldShown(state, recovering, until);
  } finally {
    state.resign = null;
    resigning.abort();
    await Promise.all(recovering.values());
  }
};

/** One run of the main loop, over the builds that are shown at its start and not recovering. */
const foldShown = async (
  state: State,
  recovering: Map<string, Promise<void>>,
  until: AbortSignal,
): Promise<void> => {
  const { log, db, projections, traced, linger } = state;
  const restarting = new AbortController();
  state.restart = () => restarting.abort();
  const over = AbortSignal.any([until, restarting.signal]);
  const shown = await loadShown(db, projections);
  state.folded = shown.map(keyOf);
  report(state, shown);
  let progress = shown.filter((one) => !recovering.has(keyOf(one)));
  if (progress.length === 0) return sleep(LOOK_MS, over);
  const fold = async (batch: Batch): Promise<boolean> => {
    const { poisoned } = await foldTraced(traced, "fold read models", batch, () =>
      applyBatch(db, progress, batch),
    );
    progress = progress.filter((one) => !poisoned.includes(one));
    report(state, progress);
    for (const one of poisoned) {
      const done = recover(state, one, until).then(() => {
        recovering.delete(keyOf(one));
        state.restart();
      });
      recovering.set(keyOf(one), done);
    }
    return progress.length === 0;
  };
  try {
    await foldBatches(log, lowestPosition(progress), fold, { over, linger });
  } catch (error) {
    // A swap of builds moves no checkpoint of this process; another leader does.
    if (!(error instanceof FencedOffError) || (await isLedElsewhere(state, progress))) throw error;
  }
};

/** Folds a projection alone and parks the events that it refuses, until it has refused none for a while. */
const recover = async (state: State, one: Progress, over: AbortSignal): Promise<void> => {
  const { log, db, traced, logger, linger } = state;
  const { name } = one.projection;
  const options = { park: parkFor(true), isShown: true };
  let refusedAt = performance.now();
  const fold = async (batch: Batch): Promise<boolean> => {
    const parked = await foldTraced(traced, `fold ${name}`, batch, () =>
      applyAround(db, one, batch, options),
    );
    report(state, [one]);
    if (parked > 0) {
      refusedAt = performance.now();
      logger.error({ parked, projection: name }, "events were parked: see runledger projections");
    }
    return batch.events.length < MAX_BATCH && performance.now() - refusedAt >= QUIET_MS;
  };
  try {
    await foldBatches(log, one.position, fold, { over, linger });
  } catch (error) {
    if (over.aborted || error instanceof FencedOffError) return;
    logger.warn({ err: error, projection: name }, "interrupted");
  }
};

const isLedElsewhere = async (
  { db, projections }: State,
  progress: readonly Progress[],
): Promise<boolean> => {
  const shown = await loadShown(db, projections);
  const rows = new Map(shown.map((row) => [keyOf(row), row.position]));
  const isMoved = (one: Progress) => rows.has(keyOf(one)) && rows.get(keyOf(one)) !== one.position;
  const isSwapped = (one: Progress) => !rows.has(keyOf(one));
  return progress.some(isMoved) || !progress.some(isSwapped);
};

/** Reports committed positions to the waiting readers. */
const report = ({ positions }: State, progress: readonly Progress[]): void => {
  for (const { projection, position } of progress) {
    if (position !== null) positions.advance(projection.name, position);
  }
};

const keyOf = (one: Progress): string => consumerOf(one, false);

const lowestPosition = (progress: readonly Progress[]): bigint | null => {
  let lowest: bigint | null | undefined;
  for (const { position } of progress) {
    if (position === null) return null;
    if (lowest === undefined || lowest === null || position < lowest) lowest = position;
  }
  return lowest ?? null;
};
