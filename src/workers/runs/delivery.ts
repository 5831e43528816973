import { runAttempt } from "./attempt.ts";
import { createEvidenceUploads } from "./evidenceUploads.ts";
import { whole } from "./progressEvents.ts";
import type { DeliveryDeps, RunningDelivery } from "./runningDelivery.ts";

export type Delivery = {
  readonly runId: string;
  /** Writes pending events now: a client has begun to watch the run. */
  readonly flush: () => void;
  /** Resolves when only the last screenshot and the recording of the outcome are left. */
  readonly leftBrowser: Promise<void>;
  /** Resolves when the delivery has ended: finished and in the log, lease lost, cancelled or given back. */
  readonly done: Promise<void>;
  /** Stops the test and returns the execution to the queue. Recorded progress stays. */
  giveBack(reason: string): Promise<void>;
  /** Stops the test and ends the execution: cancelled if `error` is null, else errored. */
  cancel(error: string | null): Promise<void>;
};

/**
 * Runs a claimed delivery to its end: attempts until one passes or none is left, each in every browser.
 * Progress goes to the pipeline, files go to the blob store, the verdict comes last.
 */
export const runDelivery = (deps: DeliveryDeps): Delivery => {
  const { delivery, worker, planned, pipeline } = deps;
  const stopping = new AbortController();
  const leaving = new AbortController();
  const leftBrowser = new Promise<void>((resolve) => {
    leaving.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const running: RunningDelivery = {
    ...deps,
    uploads: createEvidenceUploads(deps),
    stopping: stopping.signal,
    signal: AbortSignal.any([stopping.signal, pipeline.lost]),
    leaveBrowser: () => leaving.abort(),
  };
  return {
    runId: planned.runId,
    flush: pipeline.flush,
    leftBrowser,
    done: runAttempts(running).finally(running.leaveBrowser),
    giveBack: async (reason) => {
      if (running.signal.aborted) return;
      stopping.abort(new Error(reason));
      pipeline.submit({ type: "giveBack", worker, delivery, reason });
      await pipeline.settled();
    },
    cancel: async (error) => {
      if (running.signal.aborted) return;
      stopping.abort(new Error(error ?? "cancelled"));
      pipeline.submit({ type: "cancel", by: { worker, delivery }, error });
      await pipeline.settled();
    },
  };
};

const runAttempts = async (running: RunningDelivery): Promise<void> => {
  const { delivery, worker, planned, pipeline, signal } = running;
  const started = performance.now();
  const attempts = 1 + (planned.retries ?? 0);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const { status, error } = await runAttempt(running, attempt, attempt === attempts);
    if (signal.aborted) return;
    if (status !== "passed" && attempt < attempts) continue;
    const verdict = status === "passed" && attempt > 1 ? "flaky" : status;
    const durationMs = whole(performance.now() - started);
    pipeline.submit({ type: "finish", worker, delivery, status: verdict, durationMs, error });
    break;
  }
  await pipeline.settled();
};
