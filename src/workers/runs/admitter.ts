import { createLru, type Lru } from "../../commands/kernel/lru.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { within } from "../../platform/within.ts";
import type { AdmissionView, Dispatch, DispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { admitAsking } from "./admission.ts";
import { EXECUTIONS_QUEUE, encodeJob, jobIdOf } from "./job.ts";

/** Age after which an admitted but unclaimed execution is offered again: the bus may have lost the job. */
const REOFFER_AFTER_SECONDS = 15;
/** Number of offers after which the queue row is checked: workers may refuse it. */
const REPAIR_AFTER_OFFERS = 3;
/** Number of organisations whose last turn is remembered. A forgotten one comes first. */
const MAX_TURNS = 10_000;
const TICK_MS = 500;
/** Time for which an organisation's parallelism is cached. */
const PARALLELISM_MS = 1_000;
const LOST_CHECK_MS = 5_000;
/** Time limit for a stop while the bus does not answer. */
const STOP_MS = 2_000;

export type Admitter = {
  /** Prefetches the parallelism of an organisation whose executions are about to be queued. */
  expect(organizationId: string): void;
  /** Starts an admission. Returns at once, so that an unavailable bus blocks nothing else. */
  nudge(): void;
  /** Offers every admitted but unclaimed execution again. A duplicate job is claimed once. */
  offerAgain(): void;
  stop(): Promise<void>;
};

type AdmitterDeps = {
  readonly queue: DispatchQueue;
  readonly bus: Bus;
  readonly logger: Logger;
  readonly parallelismOf: (organizationId: string) => Promise<number>;
  /** Corrects a queue row that workers refuse. */
  readonly repair: (dispatch: Dispatch) => Promise<void>;
  /** The `traceparent` of an execution; undefined if it is not traced. */
  readonly traceOf?: (executionId: string) => string | undefined;
};

type AdmitterState = AdmitterDeps & {
  readonly stopping: AbortSignal;
  /** Number of the last turn of each organisation, least recent first. */
  readonly turns: Map<string, number>;
  readonly limits: Lru<string, { readonly limit: Promise<number>; readonly until: number }>;
  turn: number;
  looking: Promise<void> | null;
  lookAgain: boolean;
};

/**
 * Admits executions to the work queue, when nudged and twice a second. Any number of admitters can run:
 * admissions are serialised by the database.
 */
export const startAdmitter = (deps: AdmitterDeps): Admitter => {
  const stopping = new AbortController();
  const state: AdmitterState = {
    ...{ ...deps, stopping: stopping.signal, turns: new Map(), limits: createLru(MAX_TURNS) },
    ...{ turn: 0, looking: null, lookAgain: false },
  };
  let nudged = Promise.resolve();
  let offering = Promise.resolve();
  const running = run(state);
  const offerAllAgain = (): void => {
    offering = logged(state, offerAgain(state, 0));
  };
  const stopWatchingBus = deps.bus.onBack(offerAllAgain);

  return {
    expect: (organizationId) => {
      parallelismOf(state, organizationId).catch(() => undefined);
    },
    nudge: () => {
      nudged = logged(state, admitNow(state));
    },
    offerAgain: offerAllAgain,
    stop: async () => {
      stopWatchingBus();
      stopping.abort();
      const all = Promise.all([running, nudged, offering]);
      await within(all, STOP_MS, () => undefined);
    },
  };
};

const run = async (state: AdmitterState): Promise<void> => {
  let checkedAt = performance.now();
  while (!state.stopping.aborted) {
    await logged(state, admitIfPossible(state));
    if (performance.now() - checkedAt >= LOST_CHECK_MS) {
      checkedAt = performance.now();
      await logged(state, offerAgain(state, REOFFER_AFTER_SECONDS));
    }
    await sleep(TICK_MS, state.stopping);
  }
};

const admitIfPossible = async (state: AdmitterState): Promise<void> => {
  if (await state.queue.mayAdmit()) await admitNow(state);
};

/** Admits once more after an admission under way, so that no nudge is lost. */
const admitNow = (state: AdmitterState): Promise<void> => {
  state.lookAgain = true;
  state.looking ??= (async () => {
    try {
      while (state.lookAgain) {
        state.lookAgain = false;
        await admitOnce(state);
      }
    } finally {
      state.looking = null;
    }
  })();
  return state.looking;
};

const admitOnce = async (state: AdmitterState): Promise<void> => {
  const { queue, turns } = state;
  const choose = (view: AdmissionView): Promise<readonly Dispatch[]> =>
    admitAsking(view, (id) => parallelismOf(state, id), turns);
  const admitted = await queue.admit(choose);
  for (const { organizationId } of admitted) {
    state.turn += 1;
    // Deleted first to keep the map in the order of turns.
    turns.delete(organizationId);
    turns.set(organizationId, state.turn);
  }
  for (const oldest of turns.keys()) {
    if (turns.size <= MAX_TURNS) break;
    turns.delete(oldest);
  }
  await offer(state, admitted);
};

const offer = async (
  { bus, traceOf }: AdmitterState,
  dispatches: readonly Dispatch[],
): Promise<void> => {
  await Promise.all(
    dispatches.map((one) => {
      const traceparent = traceOf?.(one.executionId);
      const headers = traceparent === undefined ? {} : { traceparent };
      return bus.enqueue(EXECUTIONS_QUEUE, jobIdOf(one), encodeJob(one), headers);
    }),
  );
};

const offerAgain = async (state: AdmitterState, afterSeconds: number): Promise<void> => {
  const lost = await state.queue.reoffer(afterSeconds);
  if (lost.length === 0) return;
  state.logger.info({ executions: lost.length }, "executions are offered again");
  await offer(state, lost);
  for (const one of lost) if (one.offers >= REPAIR_AFTER_OFFERS) await state.repair(one);
};

const parallelismOf = (state: AdmitterState, organizationId: string): Promise<number> => {
  const { limits } = state;
  const now = performance.now();
  const known = limits.get(organizationId);
  if (known && known.until > now) return known.limit;
  const limit = state.parallelismOf(organizationId);
  limits.set(organizationId, { limit, until: now + PARALLELISM_MS });
  limit.catch(() => limits.delete(organizationId));
  return limit;
};

/** Logs a failure instead of throwing it. */
const logged = async ({ stopping, logger }: AdmitterState, work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!stopping.aborted) logFailure(logger, error, {}, "admission failed");
  }
};
