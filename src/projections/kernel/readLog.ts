import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Batch } from "./applyBatch.ts";
import type { Projection } from "./projection.ts";

/** The maximum of events in one batch. */
export const READ_BATCH = 4_096;
/** The time after which a partial batch is folded: otherwise the transaction would be idle for too long. */
const MAX_FILL_MS = 500;
/** The number of events between two checks of the time. */
const CHECK_EVERY = 128;

/** The part of the log to fold into a build. */
export type Reading = {
  readonly log: EventLog;
  readonly projection: Projection;
  /** Exclusive; null: from the start. */
  readonly after: bigint | null;
  /** Inclusive. */
  readonly upTo: bigint;
  /** The ids of skipped events. */
  readonly leaveOut: ReadonlySet<string>;
};

/**
 * Reads a part of the log and folds it in batches; the next batch is read while one is folded. Resolves with the
 * number of read events, handled or not. Rejects if `over` is aborted; folded batches are kept.
 */
export const foldRange = async (
  reading: Reading,
  fold: (batch: Batch) => Promise<unknown>,
  over: AbortSignal,
): Promise<number> => {
  const { log, projection, after, upTo, leaveOut } = reading;
  let folding: Promise<unknown> = Promise.resolve();
  let events: RecordedEvent[] = [];
  let read = 0;
  let handedAt = performance.now();
  const hand = async (batch: Batch): Promise<void> => {
    await folding;
    handedAt = performance.now();
    over.throwIfAborted();
    folding = fold(batch);
    // Awaited before the next batch; until then an error must not be unhandled.
    folding.catch(() => undefined);
  };
  try {
    for await (const event of log.readAll({ after })) {
      if (event.position > upTo) break;
      read += 1;
      if (projection.handlers.has(event.type) && !leaveOut.has(event.id)) events.push(event);
      if (read % CHECK_EVERY !== 0) continue;
      if (events.length < READ_BATCH && performance.now() - handedAt < MAX_FILL_MS) continue;
      await hand({ events, upTo: event.position });
      events = [];
    }
    // The last events may be missing if the log was truncated meanwhile.
    await hand({ events, upTo });
    await folding;
  } finally {
    await folding.catch(() => undefined);
  }
  return read;
};
