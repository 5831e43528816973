import { logFailure } from "../../platform/availability.ts";
import type { Job } from "../../platform/bus/port.ts";
import { type Claimed, claimJob, type ReadAhead } from "./claim.ts";
import { type Delivery, runDelivery } from "./delivery.ts";
import type { ExecutionJob } from "./job.ts";
import { stopError } from "./stopRequests.ts";
import { jobKey, leaveSlot, type QueueWorker, SHUTTING_DOWN, settle } from "./workerState.ts";

const RETRY_MS = 250;

/** Puts a job into a free slot: claims and runs its execution in the background. Returns at once. */
export const takeJob = (
  worker: QueueWorker,
  job: Job,
  offer: ExecutionJob,
  ahead?: Promise<ReadAhead | null>,
): void => {
  const key = jobKey(offer);
  worker.running.set(key, null);
  worker.inSlots.add(key);
  const work = claimAndRun(worker, job, offer, ahead)
    .catch(async (error: unknown) => {
      const fields = { execution: offer.execution_id };
      logFailure(worker.logger, error, fields, "an execution could not be taken");
      await settle(worker, job.retryLater(RETRY_MS));
    })
    .finally(() => {
      worker.running.delete(key);
      worker.toStop.delete(offer.execution_id);
      worker.works.delete(work);
      leaveSlot(worker, key);
    });
  worker.works.add(work);
};

const claimAndRun = async (
  worker: QueueWorker,
  job: Job,
  offer: ExecutionJob,
  ahead?: Promise<ReadAhead | null>,
): Promise<void> => {
  const { traced, holder } = worker;
  const claimed = await claimJob({ ...worker, worker: holder }, offer, ahead);
  // Not awaited before the test: the claim is in the log, and the bus may be slow.
  const acknowledged = settle(worker, job.ack());
  if (!claimed) return acknowledged;
  const parent = job.headers.traceparent ?? claimed.queued.metadata.traceparent;
  if (traced && parent !== undefined) {
    const attributes = {
      "runledger.run_id": offer.run_id,
      "runledger.execution_id": offer.execution_id,
    };
    const span = { kind: "consumer", parent, attributes } as const;
    await traced("execution", span, () => runClaimed(worker, offer, claimed));
  } else await runClaimed(worker, offer, claimed);
  await acknowledged;
};

const runClaimed = async (
  worker: QueueWorker,
  offer: ExecutionJob,
  claimed: Claimed,
): Promise<void> => {
  const { keeper, running, toStop, stopping } = worker;
  const executionId = offer.execution_id;
  const delivery = startDelivery(worker, offer, claimed);
  running.set(jobKey(offer), delivery);
  void delivery.leftBrowser.then(() => leaveSlot(worker, jobKey(offer)));
  try {
    const stopReason = toStop.get(executionId);
    if (stopReason) await delivery.cancel(stopError(stopReason));
    else if (stopping.aborted) await delivery.giveBack(SHUTTING_DOWN);
    await delivery.done;
  } finally {
    await keeper.release({ executionId, delivery: offer.delivery });
  }
};

const startDelivery = (worker: QueueWorker, offer: ExecutionJob, claimed: Claimed): Delivery => {
  const { execution_id: executionId, organization_id: organizationId, delivery } = offer;
  const { testId, baselineVersion = 0 } = claimed.planned;
  const { blobs, runTest, holder } = worker;
  return runDelivery({
    ...claimed,
    ...{ executionId, delivery, blobs, runTest, worker: holder },
    resources: worker.resourcesOf(claimed.planned, organizationId),
    healing: worker.healingOf?.({ organizationId, testId }),
    visuals: (browser) => worker.visualsOf({ organizationId, testId, baselineVersion, browser }),
    logger: worker.logger.child({
      correlation_id: claimed.queued.metadata.$correlationId,
      execution: executionId,
    }),
  });
};
