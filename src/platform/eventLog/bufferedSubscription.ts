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
  const buffer: Buffered = {
    ...{ events: [], ended: false, failure: null },
    ...{ wakeConsumer: null, wakePump: null },
  };
  void pump(subscription, buffer, highWater);
  return {
    take: async (max, linger) => {
      while (buffer.events.length === 0) {
        if (buffer.failure) throw buffer.failure;
        if (buffer.ended) return null;
        await woken(buffer);
      }
      if (linger) await waitForMore(buffer, linger);
      const taken = buffer.events.slice(0, max);
      buffer.events = buffer.events.slice(max);
      buffer.wakePump?.();
      return taken;
    },
    close: async () => {
      buffer.wakePump?.();
      await subscription.close();
    },
  };
};

type Buffered = {
  events: RecordedEvent[];
  ended: boolean;
  failure: unknown;
  wakeConsumer: (() => void) | null;
  wakePump: (() => void) | null;
};

const pump = async (
  subscription: LogSubscription,
  buffer: Buffered,
  highWater: number,
): Promise<void> => {
  try {
    for await (const event of subscription) {
      buffer.events.push(event);
      buffer.wakeConsumer?.();
      if (buffer.events.length >= highWater) {
        await new Promise<void>((resolve) => {
          buffer.wakePump = resolve;
        });
        buffer.wakePump = null;
      }
    }
  } catch (error) {
    buffer.failure = error;
  }
  buffer.ended = true;
  buffer.wakeConsumer?.();
};

/** Waits for the next event, or the end of the subscription. */
const woken = async (buffer: Buffered): Promise<void> => {
  await new Promise<void>((resolve) => {
    buffer.wakeConsumer = resolve;
  });
  buffer.wakeConsumer = null;
};

const waitForMore = async (buffer: Buffered, { ms, enough, mayWait }: Linger): Promise<void> => {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    buffer.wakeConsumer?.();
  }, ms);
  let seen = 0;
  while (!isOver && !buffer.ended && buffer.events.length < enough) {
    const added = buffer.events.slice(seen);
    seen = buffer.events.length;
    if (!added.every(mayWait)) break;
    await woken(buffer);
  }
  clearTimeout(timer);
};
