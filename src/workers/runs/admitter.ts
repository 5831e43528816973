import { createLru } from "../../commands/kernel/lru.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { AdmissionView, Dispatch, DispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { admitAsking } from "./admission.ts";
import { EXECUTIONS_QUEUE, encodeJob, jobIdOf } from "./job.ts";

/** What was admitted and taken by no worker for so long is offered again: the bus lost it. */
const REOFFER_AFTER_SECONDS = 15;
/** What was offered so often and never taken is looked at more closely: workers may refuse it. */
const REFUSED_AFTER_OFFERS = 3;
/** How many organisations' last turns are remembered. One that is forgotten is as one that never had any: it comes first. */
const MOST_TURNS = 10_000;
const TICK_MS = 500;
/** How long an organisation's parallelism is taken to be what it was: a change of its plan is noticed within a second. */
const PARALLELISM_MS = 1_000;
const LOST_CHECK_MS = 5_000;
/** How long a stop waits for a bus that does not answer. */
const STOP_MS = 2_000;

export type Admitter = {
  /** Says that executions of an organisation are about to be queued, so that what it is allowed is known by then. */
  expect(organizationId: string): void;
  /** Has it look at the queue now. Nobody waits for it: a bus that is away holds up nothing else. */
  nudge(): void;
  /** Has everything offered again that was admitted and not yet claimed: the bus may have lost it. A job that comes twice is claimed once. */
  offerAgain(): void;
  stop(): Promise<void>;
};

/**
 * Admits executions to the work queue, whenever told to look and twice a second. Any number may run:
 * an admission is one transaction at a time.
 */
export const startAdmitter = (deps: {
  readonly queue: DispatchQueue;
  readonly bus: Bus;
  readonly logger: Logger;
  readonly parallelismOf: (organizationId: string) => Promise<number>;
  /** Mends what is in the queue though no worker can take it any more. */
  readonly mend: (dispatch: Dispatch) => Promise<void>;
  /** The `traceparent` that an execution is offered with; undefined where none is known. */
  readonly traceOf?: (executionId: string) => string | undefined;
}): Admitter => {
  const { queue, bus, logger } = deps;
  const stopping = new AbortController();
  const turns = new Map<string, number>();
  const allowed = createLru<string, { readonly limit: Promise<number>; readonly until: number }>(
    MOST_TURNS,
  );
  let turn = 0;
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let nudged = Promise.resolve();
  let offering = Promise.resolve();

  const offer = async (dispatches: readonly Dispatch[]): Promise<void> => {
    await Promise.all(
      dispatches.map((one) => {
        const traceparent = deps.traceOf?.(one.executionId);
        const headers = traceparent === undefined ? {} : { traceparent };
        return bus.enqueue(EXECUTIONS_QUEUE, jobIdOf(one), encodeJob(one), headers);
      }),
    );
  };

  const parallelismOf = (organizationId: string): Promise<number> => {
    const now = performance.now();
    const known = allowed.get(organizationId);
    if (known && known.until > now) return known.limit;
    const limit = deps.parallelismOf(organizationId);
    allowed.set(organizationId, { limit, until: now + PARALLELISM_MS });
    // Who waits for it hears of the failure; the next asks again.
    limit.catch(() => allowed.delete(organizationId));
    return limit;
  };

  const choose = (view: AdmissionView): Promise<readonly Dispatch[]> =>
    admitAsking(view, parallelismOf, turns);

  const look = async (): Promise<void> => {
    const admitted = await queue.admit(choose);
    for (const { organizationId } of admitted) {
      turn += 1;
      // Deleted first, so that the map is in the order of the turns.
      turns.delete(organizationId);
      turns.set(organizationId, turn);
    }
    for (const oldest of turns.keys()) {
      if (turns.size <= MOST_TURNS) break;
      turns.delete(oldest);
    }
    await offer(admitted);
  };

  const admitNow = (): Promise<void> => {
    lookAgain = true;
    looking ??= (async () => {
      try {
        while (lookAgain) {
          lookAgain = false;
          await look();
        }
      } finally {
        looking = null;
      }
    })();
    return looking;
  };

  const offerAgain = async (afterSeconds: number): Promise<void> => {
    const lost = await queue.reoffer(afterSeconds);
    if (lost.length === 0) return;
    logger.info({ executions: lost.length }, "executions are offered again");
    await offer(lost);
    for (const one of lost) if (one.offers >= REFUSED_AFTER_OFFERS) await deps.mend(one);
  };

  const unlessInterrupted = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!stopping.signal.aborted) logFailure(logger, error, {}, "admission interrupted");
    }
  };

  const admitIfAnyMay = async (): Promise<void> => {
    if (await queue.mayAdmit()) await admitNow();
  };

  const run = async (): Promise<void> => {
    let checkedAt = performance.now();
    while (!stopping.signal.aborted) {
      await unlessInterrupted(admitIfAnyMay());
      if (performance.now() - checkedAt >= LOST_CHECK_MS) {
        checkedAt = performance.now();
        await unlessInterrupted(offerAgain(REOFFER_AFTER_SECONDS));
      }
      await sleep(TICK_MS, stopping.signal);
    }
  };
  const running = run();
  const offerAllAgain = (): void => {
    offering = unlessInterrupted(offerAgain(0));
  };
  const stopWatchingBus = bus.onBack(offerAllAgain);

  return {
    expect: (organizationId) => {
      parallelismOf(organizationId).catch(() => undefined);
    },
    nudge: () => {
      nudged = unlessInterrupted(admitNow());
    },
    offerAgain: offerAllAgain,
    stop: async () => {
      stopWatchingBus();
      stopping.abort();
      const ended = new AbortController();
      const all = Promise.all([running, nudged, offering]);
      await Promise.race([all, sleep(STOP_MS, ended.signal)]);
      ended.abort();
    },
  };
};
