import type { LogSubscription, RecordedEvent } from "./port.ts";

/** Events pulled from a subscription, taken in batches by one consumer. */
export type Gathered = {
  /** Waits for at least one event and takes what has gathered, at most `max`. null when the subscription was closed; rejects when it broke. */
  take(max: number): Promise<readonly RecordedEvent[] | null>;
  close(): Promise<void>;
};

/**
 * Pulls a subscription with `for await` into a bounded buffer. A slow consumer stops the pulling:
 * nothing is buffered without bound, and no two events are ever handled at once.
 */
export const gather = (subscription: LogSubscription, highWater = 4_096): Gathered => {
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

  return {
    take: async (max) => {
      while (buffer.length === 0) {
        if (failure) throw failure;
        if (ended) return null;
        await new Promise<void>((resolve) => {
          wakeConsumer = resolve;
        });
        wakeConsumer = null;
      }
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
