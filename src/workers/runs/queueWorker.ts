import { logFailure } from "../../platform/availability.ts";
import type { JobConsumer } from "../../platform/bus/port.ts";
import { trackWatchedRuns } from "../../platform/bus/watchedRuns.ts";
import { sleep } from "../../platform/sleep.ts";
import { within } from "../../platform/within.ts";
import {
  type DispatchQueue,
  dispatchQueue,
  type StopReason,
} from "../../stores/runs/dispatchQueue.ts";
import { executorSlots } from "../../stores/runs/executorSlots.ts";
import { executionLeases } from "../../stores/runs/leases.ts";
import { readAhead } from "./claim.ts";
import type { Delivery } from "./delivery.ts";
import { decodeJob, EXECUTIONS_QUEUE } from "./job.ts";
import { startLeaseKeeper } from "./leaseKeeper.ts";
import { followStops, stopError } from "./stopRequests.ts";
import { takeJob } from "./takeJob.ts";
import {
  hasFreeSlot,
  jobKey,
  type QueueWorker,
  type QueueWorkerDeps,
  SHUTTING_DOWN,
  settle,
  waitForSlot,
} from "./workerState.ts";

const HEARTBEAT_MS = 2_000;
/** Time that a first offer waits for a slot before other workers get it. An idle worker takes it at once. */
const FIRST_WAIT_MS = 50;
/** Time that a repeated offer waits for a slot: no other worker took it. */
const REPEAT_WAIT_MS = 1_000;
const REOFFER_MS = 20;
const RETRY_MS = 250;
/** Time limit for giving back executions on stop. */
const GIVE_BACK_MS = 5_000;

/**
 * Takes jobs from the work queue, claims their executions, runs them and reports their progress. A slot is
 * held until the last step: the last screenshot and the recording of the outcome overlap with the next test,
 * whose steps are read ahead. On stop the worker takes no more jobs, gives back running executions (which
 * does not count as a lost delivery) and ends within 5 s.
 */
export const startQueueWorker = (deps: QueueWorkerDeps): { stop(): Promise<void> } => {
  const { db, bus, logger, holder } = deps;
  const keeper = startLeaseKeeper({ leases: executionLeases(db), worker: holder, logger });
  const queue = dispatchQueue(db);
  const stopping = new AbortController();
  const running = new Map<string, Delivery | null>();
  const watched = trackWatchedRuns({
    bus,
    signal: stopping.signal,
    onBegin: (runId) => {
      for (const delivery of running.values()) if (delivery?.runId === runId) delivery.flush();
    },
  });
  const worker: QueueWorker = {
    ...{ ...deps, keeper, running, isWatched: watched.isWatched, stopping: stopping.signal },
    ...{ works: new Set(), inSlots: new Set(), toStop: new Map(), onSlotFree: null },
  };
  const stops = followStops({
    ...{ bus, queue, logger, signal: stopping.signal },
    stop: (executionId, reason) => stopExecution(worker, executionId, reason),
    held: () => [...running.keys()].map((key) => key.slice(0, key.indexOf(":"))),
  });
  const loops = [sendHeartbeats(worker), consumeJobs(worker, queue), stops, watched.ended];

  return {
    stop: async () => {
      stopping.abort();
      worker.onSlotFree?.();
      const giveBacks = [...running.values()].map((delivery) => delivery?.giveBack(SHUTTING_DOWN));
      const all = Promise.all([...giveBacks, ...worker.works, ...loops]);
      await within(all, GIVE_BACK_MS, () => undefined);
      await keeper.stop();
    },
  };
};

const stopExecution = (worker: QueueWorker, executionId: string, reason: StopReason): void => {
  for (const [key, delivery] of worker.running) {
    if (!key.startsWith(`${executionId}:`)) continue;
    if (delivery) void delivery.cancel(stopError(reason));
    else worker.toStop.set(executionId, reason);
  }
};

const sendHeartbeats = async ({
  db,
  logger,
  holder,
  capacity,
  stopping,
}: QueueWorker): Promise<void> => {
  const slots = executorSlots(db);
  while (!stopping.aborted) {
    await slots.heartbeat(holder, capacity).catch((error: unknown) => {
      logFailure(logger, error, {}, "the heartbeat of the executor cannot be written");
    });
    await sleep(HEARTBEAT_MS, stopping);
  }
  await slots.remove(holder).catch(() => undefined);
};

const consumeJobs = async (worker: QueueWorker, queue: DispatchQueue): Promise<void> => {
  const { bus, logger, capacity, stopping } = worker;
  while (!stopping.aborted) {
    try {
      const consumer = await bus.consume(EXECUTIONS_QUEUE, { capacity });
      const close = () => void settle(worker, consumer.close());
      stopping.addEventListener("abort", close, { once: true });
      if (stopping.aborted) close();
      await takeJobs(worker, queue, consumer);
      stopping.removeEventListener("abort", close);
    } catch (error) {
      if (!stopping.aborted) logFailure(logger, error, {}, "the work queue is unavailable");
    }
    await sleep(RETRY_MS, stopping);
  }
};

const takeJobs = async (
  worker: QueueWorker,
  queue: DispatchQueue,
  consumer: JobConsumer,
): Promise<void> => {
  for await (const job of consumer) {
    const offer = decodeJob(job.payload);
    if (!offer || worker.running.has(jobKey(offer))) {
      await settle(worker, job.ack());
      continue;
    }
    const isFirst = job.deliveries === 1;
    const ahead = hasFreeSlot(worker) || isFirst ? undefined : readAhead(worker, offer);
    const isFree =
      hasFreeSlot(worker) || (await waitForSlot(worker, isFirst ? FIRST_WAIT_MS : REPEAT_WAIT_MS));
    if (worker.stopping.aborted) await settle(worker, job.retryLater(RETRY_MS));
    else if (isFree) takeJob(worker, job, offer, ahead);
    else {
      // A repeated offer was held for longer: without this the admitter would offer it again as lost.
      if (!isFirst) await settle(worker, queue.keepOffer(offer.execution_id));
      await settle(worker, job.retryLater(REOFFER_MS));
    }
  }
};
