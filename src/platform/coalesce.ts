import { setTimeout as delay } from "node:timers/promises";

const MAX_BATCH = 200;

/**
 * Coalesces concurrent calls: calls that arrive during a batch form the next one. Each call resolves or
 * rejects with its batch. Batches start at least `intervalMs` milliseconds apart, so that a single call is
 * executed at once and a burst of calls needs few batches.
 */
export const coalesce = <Item>(
  executeAll: (items: readonly Item[]) => Promise<void>,
  intervalMs = 0,
): ((item: Item) => Promise<void>) => {
  type Waiting = {
    readonly item: Item;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  let waiting: Waiting[] = [];
  let isRunning = false;
  let nextAt = 0;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const early = nextAt - performance.now();
      if (early > 0) await delay(early);
      nextAt = performance.now() + intervalMs;
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      try {
        await executeAll(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void run();
    });
};
