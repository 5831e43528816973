import { logFailure } from "../../platform/availability.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Bus, Job, JobConsumer } from "../../platform/bus/port.ts";
import { trackWatchedRuns } from "../../platform/bus/watchedRuns.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import { dispatchQueue, type StopReason } from "../../stores/runs/dispatchQueue.ts";
import { executorSlots } from "../../stores/runs/executorSlots.ts";
import { executionLeases } from "../../stores/runs/leases.ts";
import type { VisualsOf } from "../baselines/visuals.ts";
import type { HealingOf } from "../healing/memory.ts";
import { type ClaimDeps, type Claimed, claimJob, type ReadAhead, readAhead } from "./claim.ts";
import { type Delivery, type RunTest, runDelivery } from "./delivery.ts";
import { decodeJob, EXECUTIONS_QUEUE, type ExecutionJob } from "./job.ts";
import { startLeaseKeeper } from "./leaseKeeper.ts";
import type { ResourcesOf } from "./resources.ts";
import { followStops, stopError } from "./stopRequests.ts";

const HEARTBEAT_MS = 2_000;
/** A job that came while every slot was taken waits so long for one, then it is offered to others; who is idle takes it at once. */
const FIRST_PATIENCE_MS = 50;
/** Nobody else having wanted it, it came back: it waits for longer. */
const SLOT_PATIENCE_MS = 1_000;
const BACK_AGAIN_MS = 20;
const RETRY_MS = 250;
/** Giving back what runs takes no longer than this, whatever hangs. */
const GIVE_BACK_MS = 5_000;

export type QueueWorkerDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Names this process: in leases and as the worker of what it claims. New in each start. */
  readonly holder: string;
  /** How many executions run at once (EXECUTOR_CONCURRENCY). */
  readonly capacity: number;
  /** The steps of a test as they were in a version; null when they are not there (yet). */
  readonly stepsOfVersion: ClaimDeps["stepsOfVersion"];
  /** What an execution may use that is in no event: secrets, files. */
  readonly resourcesOf: ResourcesOf;
  readonly runTest: RunTest;
  readonly visualsOf: VisualsOf;
  /** Absent: nothing is healed. */
  readonly healingOf?: HealingOf;
  /** Given: what is run is part of the trace of who asked for it. */
  readonly traced?: Traced | undefined;
};

/**
 * The executor's side of the work queue: claims what is offered, runs it, reports it. A slot is a test
 * that has steps to do: while the last picture of one is taken, and what it came to is being recorded, the next
 * is run, and what that is to do was read before there was room for it. On stop it takes no more, gives back what runs (which costs no
 * delivery) and ends within 5 s.
 */
export const startQueueWorker = (deps: QueueWorkerDeps): { stop(): Promise<void> } => {
  const { db, bus, logger, holder: worker, capacity } = deps;
  const slots = executorSlots(db);
  const keeper = startLeaseKeeper({ leases: executionLeases(db), worker, logger });
  const stopping = new AbortController();
  /** By execution and delivery: null while it is being claimed. */
  const running = new Map<string, Delivery | null>();
  const works = new Set<Promise<void>>();
  /** Those of them that have a slot: all but the ones whose steps are over. */
  const inSlots = new Set<string>();
  /** What was to stop while it was being claimed. */
  const toStop = new Map<string, StopReason>();
  const queue = dispatchQueue(db);
  const watched = trackWatchedRuns({
    bus,
    signal: stopping.signal,
    onBegin: (runId) => {
      for (const delivery of running.values()) if (delivery?.runId === runId) delivery.hurry();
    },
  });
  const { isWatched } = watched;
  let slotFreed: (() => void) | null = null;

  const handle = async (
    job: Job,
    offer: ExecutionJob,
    ahead?: Promise<ReadAhead | null>,
  ): Promise<void> => {
    const claimed = await claimJob({ ...deps, keeper, worker, isWatched }, offer, ahead);
    // A bus that is slow to hear it, or away, does not hold up the test: the claim is in the log.
    const acknowledged = settle(job.ack());
    if (!claimed) return acknowledged;
    const parent = job.headers.traceparent ?? claimed.queued.metadata.traceparent;
    if (deps.traced && parent !== undefined) {
      const attributes = {
        "runledger.run_id": offer.run_id,
        "runledger.execution_id": offer.execution_id,
      };
      const span = { kind: "consumer", parent, attributes } as const;
      await deps.traced("execution", span, () => runClaimed(offer, claimed));
    } else await runClaimed(offer, claimed);
    await acknowledged;
  };

  const runClaimed = async (offer: ExecutionJob, claimed: Claimed): Promise<void> => {
    const executionId = offer.execution_id;
    const held = { executionId, delivery: offer.delivery };
    const { testId, baselineVersion = 0 } = claimed.planned;
    const organizationId = offer.organization_id;
    const delivery = runDelivery({
      ...deps,
      ...claimed,
      ...held,
      resources: deps.resourcesOf(claimed.planned, organizationId),
      healing: deps.healingOf?.({ organizationId, testId }),
      visuals: (browser) => deps.visualsOf({ organizationId, testId, baselineVersion, browser }),
      worker,
      logger: logger.child({
        correlation_id: claimed.queued.metadata.$correlationId,
        execution: executionId,
      }),
    });
    running.set(keyOf(offer), delivery);
    void delivery.leftBrowser.then(() => leaveSlot(keyOf(offer)));
    try {
      const stopReason = toStop.get(executionId);
      if (stopReason) await delivery.cancel(stopError(stopReason));
      else if (stopping.signal.aborted) await delivery.giveBack(SHUTTING_DOWN);
      await delivery.done;
    } finally {
      await keeper.release(held);
    }
  };

  const leaveSlot = (key: string): void => {
    inSlots.delete(key);
    slotFreed?.();
  };

  const take = (job: Job, offer: ExecutionJob, ahead?: Promise<ReadAhead | null>): void => {
    running.set(keyOf(offer), null);
    inSlots.add(keyOf(offer));
    const work = handle(job, offer, ahead)
      .catch(async (error: unknown) => {
        const fields = { execution: offer.execution_id };
        logFailure(logger, error, fields, "an execution could not be taken");
        await settle(job.retryLater(RETRY_MS));
      })
      .finally(() => {
        running.delete(keyOf(offer));
        toStop.delete(offer.execution_id);
        works.delete(work);
        leaveSlot(keyOf(offer));
      });
    works.add(work);
  };

  /** What is still being recorded counts as well in the end: a log that is slow must not gather it without bound. */
  const hasRoom = (): boolean => inSlots.size < capacity && running.size < 2 * capacity;

  /** True once there is room; false when there was none in time. */
  const untilRoom = async (patienceMs: number): Promise<boolean> => {
    const waiting = new AbortController();
    slotFreed = () => {
      if (hasRoom() || stopping.signal.aborted) waiting.abort();
    };
    await sleep(patienceMs, waiting.signal);
    slotFreed = null;
    return hasRoom();
  };

  const consume = async (consumer: JobConsumer): Promise<void> => {
    for await (const job of consumer) {
      const offer = decodeJob(job.payload);
      // What is no job, or is running here already, is done with.
      if (!offer || running.has(keyOf(offer))) {
        await settle(job.ack());
        continue;
      }
      const isFirst = job.deliveries === 1;
      const ahead = hasRoom() || isFirst ? undefined : readAhead(deps, offer);
      const isRoom = hasRoom() || (await untilRoom(isFirst ? FIRST_PATIENCE_MS : SLOT_PATIENCE_MS));
      if (stopping.signal.aborted) await settle(job.retryLater(RETRY_MS));
      else if (isRoom) take(job, offer, ahead);
      else {
        // At first it was held for but a moment: it is not taken for lost so soon.
        if (!isFirst) await settle(queue.keepOffer(offer.execution_id));
        await settle(job.retryLater(BACK_AGAIN_MS));
      }
    }
  };

  const settle = async (settling: Promise<void>): Promise<void> => {
    await settling.catch((error: unknown) => {
      logger.warn({ err: error }, "a job could not be settled: it comes again");
    });
  };

  const stopOne = (executionId: string, reason: StopReason): void => {
    for (const [key, delivery] of running) {
      if (!key.startsWith(`${executionId}:`)) continue;
      if (delivery) void delivery.cancel(stopError(reason));
      else toStop.set(executionId, reason);
    }
  };

  const beat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await slots.heartbeat(worker, capacity).catch((error: unknown) => {
        logFailure(logger, error, {}, "the executor cannot say that it lives");
      });
      await sleep(HEARTBEAT_MS, stopping.signal);
    }
    await slots.remove(worker).catch(() => undefined);
  };

  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const consumer = await bus.consume(EXECUTIONS_QUEUE, { capacity });
        const close = () => void settle(consumer.close());
        stopping.signal.addEventListener("abort", close, { once: true });
        if (stopping.signal.aborted) close();
        await consume(consumer);
        stopping.signal.removeEventListener("abort", close);
      } catch (error) {
        if (!stopping.signal.aborted) logFailure(logger, error, {}, "the work queue is away");
      }
      await sleep(RETRY_MS, stopping.signal);
    }
  };
  const stops = followStops({
    ...{ bus, queue, logger, stop: stopOne, signal: stopping.signal },
    held: () => [...running.keys()].map((key) => key.slice(0, key.indexOf(":"))),
  });
  const loops = [beat(), work(), stops, watched.ended];

  return {
    stop: async () => {
      stopping.abort();
      slotFreed?.();
      const giveBacks = [...running.values()].map((delivery) => delivery?.giveBack(SHUTTING_DOWN));
      const ended = new AbortController();
      const all = Promise.all([...giveBacks, ...works, ...loops]);
      await Promise.race([all, sleep(GIVE_BACK_MS, ended.signal)]);
      ended.abort();
      await keeper.stop();
    },
  };
};

const SHUTTING_DOWN = "The service is shutting down.";

const keyOf = ({ execution_id, delivery }: ExecutionJob): string => `${execution_id}:${delivery}`;
