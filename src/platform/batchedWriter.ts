/** Writes items in the background. */
export type BatchedWriter<Item> = {
  /** Adds an item to the next batch. */
  add(item: Item): void;
  /** Writes the waiting items at once, and waits for batches in progress. Rejects if that fails. */
  flush(): Promise<void>;
};

/**
 * Batches items that are added within `gatherMs` milliseconds. Batches are written sequentially. A failed
 * batch is not repeated; `onFailure` is called with its error.
 */
export const createBatchedWriter = <Item>(
  gatherMs: number,
  writeAll: (items: readonly Item[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): BatchedWriter<Item> => {
  let waiting: Item[] = [];
  let timer: NodeJS.Timeout | undefined;
  let inProgress: Promise<void> = Promise.resolve();

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return inProgress;
    const batch = waiting;
    waiting = [];
    const written = inProgress.then(() => writeAll(batch));
    inProgress = written.catch(onFailure);
    return written;
  };

  return {
    add: (item) => {
      waiting.push(item);
      timer ??= setTimeout(() => void flush().catch(() => undefined), gatherMs);
    },
    flush,
  };
};
