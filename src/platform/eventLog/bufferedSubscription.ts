import type { LogSubscription, RecordedEvent } from "./port.ts";

/** What events may wait for before they are taken. */
export type Linger = {
  /** How long after the first of them, in milliseconds. */
  readonly ms: number;
  /** So many are taken at once. */
  readonly enough: number;
  /** Whether an event may wait; with one that may not all are taken. */
  readonly mayWait: (event: RecordedEvent) => boolean;
};

/** Events pulled from a subscription, taken in batches by one consumer. */
export type BufferedSubscription = {
  /**
   * Waits for at least one event, and with a lull for what comes soon after it, then takes what has gathered, at
   * most `max`. null when the subscription was closed; rejects when it broke.
   */
  take(max: number, lull?: Linger): Promise<readonly RecordedEvent[] | null>;
  close(): Promise<void>;
};

/**
 * Pulls a subscription with `for await` into a bounded buffer. A slow consumer stops the pulling:
 * nothing is buffered without bound, and no two events are ever handled at once.
 */
export const bufferSubscription = (
  subscription: LogSubscription,
  highWater = 4_096,
): BufferedSubscription => {
  let buffer: RecordedEvent[] = [];
  let ended = false;
  let failure: unknown = null;
  let wakeConsumer: (() => void) | null = null;
  let wakePump: (() => void) | null = null;

  const pump = async () => {
    try {
      for await (const event of subscription) {
        buffer.push(event);
        wakeConsumer?.();
        if (buffer.length >= highWater) {
          await new Promise<void>((resolve) => {
            wakePump = resolve;
          });
          wakePump = null;
        }
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    wakeConsumer?.();
  };
  void pump();

  const woken = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      wakeConsumer = resolve;
    });
    wakeConsumer = null;
  };

  const lull = async ({ ms, enough, mayWait }: Linger): Promise<void> => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      wakeConsumer?.();
    }, ms);
    let seen = 0;
    while (!isOver && !ended && buffer.length < enough) {
      const come = buffer.slice(seen);
      seen = buffer.length;
      if (!come.every(mayWait)) break;
      await woken();
    }
    clearTimeout(timer);
  };

  return {
    take: async (max, waiting) => {
      while (buffer.length === 0) {
        if (failure) throw failure;
        if (ended) return null;
        await woken();
      }
      if (waiting) await lull(waiting);
      const taken = buffer.slice(0, max);
      buffer = buffer.slice(max);
      wakePump?.();
      return taken;
    },
    close: async () => {
      wakePump?.();
      await subscription.close();
    },
  };
};
