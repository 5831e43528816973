import { PartUnavailableError } from "../../partHealth.ts";

/** Runs a task when a slot is free. Rejects if the task has not finished after `timeoutMs`. */
export type Limiter = <T>(task: () => Promise<T>, timeoutMs: number) => Promise<T>;

/**
 * Runs at most `maxConcurrent` tasks at a time, in FIFO order. A task that times out while it runs keeps its slot
 * until it ends, because it still occupies a thread. A task that times out in the queue is never started.
 */
export const createLimiter = (maxConcurrent: number): Limiter => {
  let running = 0;
  const queue = new Set<() => void>();
  const startNext = (): void => {
    for (const start of queue) {
      if (running >= maxConcurrent) return;
      queue.delete(start);
      start();
    }
  };

  return (task, timeoutMs) =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        running += 1;
        task()
          .then(resolve, reject)
          .finally(() => {
            clearTimeout(timer);
            running -= 1;
            startNext();
          });
      };
      const timer = setTimeout(() => {
        queue.delete(start);
        reject(new PartUnavailableError("blob_store", "does not answer"));
      }, timeoutMs);
      queue.add(start);
      startNext();
    });
};
