import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Traced } from "../../platform/tracing/port.ts";
import type { StopReason } from "../../stores/runs/dispatchQueue.ts";
import type { VisualsOf } from "../baselines/visuals.ts";
import type { HealingOf } from "../healing/memory.ts";
import type { ClaimDeps } from "./claim.ts";
import type { Delivery } from "./delivery.ts";
import type { ExecutionJob } from "./job.ts";
import type { LeaseKeeper } from "./leaseKeeper.ts";
import type { ResourcesOf } from "./resources.ts";
import type { RunTest } from "./runTest.ts";

export type QueueWorkerDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Id of this process: holder of leases and worker of claims. New at each start. */
  readonly holder: string;
  /** Number of executions that run at once (EXECUTOR_CONCURRENCY). */
  readonly capacity: number;
  /** The steps of a version of a test; null if the read model does not have them (yet). */
  readonly stepsOfVersion: ClaimDeps["stepsOfVersion"];
  readonly resourcesOf: ResourcesOf;
  readonly runTest: RunTest;
  readonly visualsOf: VisualsOf;
  /** Absent: no step is healed. */
  readonly healingOf?: HealingOf;
  /** Absent: executions are not traced. */
  readonly traced?: Traced | undefined;
};

export type QueueWorker = QueueWorkerDeps & {
  readonly keeper: LeaseKeeper;
  readonly stopping: AbortSignal;
  readonly isWatched: (runId: string) => boolean;
  /** Deliveries by job key; null while a claim is under way. */
  readonly running: Map<string, Delivery | null>;
  readonly works: Set<Promise<void>>;
  /** Keys of jobs that hold a slot. A job leaves its slot after the last step. */
  readonly inSlots: Set<string>;
  /** Stop requests for executions whose claim is under way. */
  readonly toStop: Map<string, StopReason>;
  /** Called when a slot becomes free. */
  onSlotFree: (() => void) | null;
};

export const SHUTTING_DOWN = "The service is shutting down.";

export const jobKey = ({ execution_id, delivery }: ExecutionJob): string =>
  `${execution_id}:${delivery}`;

/** Whether a slot is free. Deliveries that only record their outcome are limited too, in case the log is slow. */
export const hasFreeSlot = ({ inSlots, running, capacity }: QueueWorker): boolean =>
  inSlots.size < capacity && running.size < 2 * capacity;

export const leaveSlot = (worker: QueueWorker, key: string): void => {
  worker.inSlots.delete(key);
  worker.onSlotFree?.();
};

/** Waits up to `maxWaitMs` for a slot. Resolves with whether one is free. */
export const waitForSlot = async (worker: QueueWorker, maxWaitMs: number): Promise<boolean> => {
  const waiting = new AbortController();
  worker.onSlotFree = () => {
    if (hasFreeSlot(worker) || worker.stopping.aborted) waiting.abort();
  };
  await sleep(maxWaitMs, waiting.signal);
  worker.onSlotFree = null;
  return hasFreeSlot(worker);
};

/** Awaits an acknowledgement to the bus. A failure is logged: the bus redelivers the job. */
export const settle = async (
  { logger }: Pick<QueueWorker, "logger">,
  settling: Promise<void>,
): Promise<void> => {
  await settling.catch((error: unknown) => {
    logger.warn({ err: error }, "a job could not be settled and will be redelivered");
  });
};
