import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Batch } from "./applyBatch.ts";
import type { Projection } from "./projection.ts";

/** How many events of the log go into one batch where many are read. */
export const READ_BATCH = 4_096;
/** A batch that fills slowly is handed on before: a transaction that waits for it must not be taken for dead. */
const MAX_FILL_MS = 500;
/** So many events are read before it is looked how long that took. */
const LOOK_EVERY = 128;

/** What of the log is read for a build. */
export type Reading = {
  readonly log: EventLog;
  readonly projection: Projection;
  /** Exclusive; null: from the start. */
  readonly after: bigint | null;
  /** Inclusive. */
  readonly upTo: bigint;
  /** Events that are left out, by id. */
  readonly leaveOut: ReadonlySet<string>;
};

/**
 * Reads a part of the log and folds it batch by batch; the next is read while one is folded. Answers
 * how many events were read, handled or not. Rejects when `over` is aborted, with what was folded kept.
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
    // It is waited for before the next; that it is not waited for now must not end the process.
    folding.catch(() => undefined);
  };
  try {
    for await (const event of log.readAll({ after })) {
      if (event.position > upTo) break;
      read += 1;
      if (projection.handlers.has(event.type) && !leaveOut.has(event.id)) events.push(event);
      if (read % LOOK_EVERY !== 0) continue;
      if (events.length < READ_BATCH && performance.now() - handedAt < MAX_FILL_MS) continue;
      await hand({ events, upTo: event.position });
      events = [];
    }
    // The newest may be gone from the log since it was looked where its end is.
    await hand({ events, upTo });
    await folding;
  } finally {
    await folding.catch(() => undefined);
  }
  return read;
};
