import { bufferSubscription, type Linger } from "../../platform/eventLog/bufferedSubscription.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Batch } from "./applyBatch.ts";

/** The maximum of events in one batch. */
export const MAX_BATCH = 2_048;
/**
 * Above this rate, in events per millisecond, the loop waits between two commits: a large commit costs little
 * more than a small one, and there would be a hundred per second. During catch-up it does not wait.
 */
const BUSY_PER_MS = 0.75;
const GATHER_MS = 20;
/** A batch below this size may be a coincidence and does not count as busy. */
const MIN_BUSY_BATCH = 12;
/** A batch of this size means that the loop is behind. */
const CATCH_UP_BATCH = 512;

/** Calls `fold` with batches of the log after a position, until it returns true or `over` is aborted. */
export const foldBatches = async (
  log: EventLog,
  after: bigint | null,
  fold: (batch: Batch) => Promise<boolean>,
  options: { readonly over: AbortSignal; readonly linger: Linger | undefined },
): Promise<void> => {
  const { over, linger } = options;
  const buffered = bufferSubscription(log.subscribeAll({ after }));
  const close = () => void buffered.close();
  over.addEventListener("abort", close, { once: true });
  // The signal may have been aborted before the listener was added.
  if (over.aborted) close();
  try {
    for (let takenAt = performance.now(); ; ) {
      const events = await buffered.take(MAX_BATCH, linger);
      const last: RecordedEvent | undefined = events?.at(-1);
      if (!events || !last || over.aborted) return;
      const tookMs = performance.now() - takenAt;
      takenAt = performance.now();
      if (await fold({ events, upTo: last.position })) return;
      const isBusy = events.length >= MIN_BUSY_BATCH && events.length > tookMs * BUSY_PER_MS;
      if (isBusy && events.length < CATCH_UP_BATCH) await sleep(GATHER_MS, over);
    }
  } finally {
    over.removeEventListener("abort", close);
    await buffered.close();
  }
};
