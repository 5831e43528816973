import type { LogSubscription, RecordedEvent } from "./port.ts";

/** How long events may wait for later ones before they are taken (as `linger.ms` in Kafka). */
export type Linger = {
  /** The maximum wait after the first event, in milliseconds. */
  readonly ms: number;
  /** The number of events that ends the wait. */
  readonly enough: number;
  /** Whether an event may wait. One that may not ends the wait. */
  readonly mayWait: (event: RecordedEvent) => boolean;
};

/** A subscription that one consumer reads in batches. */
export type BufferedSubscription = {
  /**
   * Waits for at least one event, and with `linger` for later ones, then takes up to `max` events. null if the
   * subscription was closed. Rejects if it failed.
   */
  take(max: number, linger?: Linger): Promise<readonly RecordedEvent[] | null>;
  close(): Promise<void>;
};

/** Reads a subscription into a bounded buffer. A full buffer pauses the subscription. */
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

  const waitForMore = async ({ ms, enough, mayWait }: Linger): Promise<void> => {
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
    take: async (max, linger) => {
      while (buffer.length === 0) {
        if (failure) throw failure;
        if (ended) return null;
        await woken();
      }
      if (linger) await waitForMore(linger);
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
