import { PartAwayError } from "../parts.ts";

/** Does a piece of work when its turn comes; rejects when it is not done after so many milliseconds. */
export type Gate = <T>(work: () => Promise<T>, patienceMs: number) => Promise<T>;

/**
 * Lets at most `atOnce` pieces of work run at a time. One that hangs keeps its place until it ends, however long
 * nobody waits for it any more: it holds a thread. One whose turn did not come in time is never begun.
 */
export const createGate = (atOnce: number): Gate => {
  let running = 0;
  const waiting = new Set<() => void>();
  const next = (): void => {
    for (const begin of waiting) {
      if (running >= atOnce) return;
      waiting.delete(begin);
      begin();
    }
  };

  return (work, patienceMs) =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        running += 1;
        work()
          .then(resolve, reject)
          .finally(() => {
            clearTimeout(timer);
            running -= 1;
            next();
          });
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(new PartAwayError("blob_store", "does not answer"));
      }, patienceMs);
      waiting.add(begin);
      next();
    });
};
